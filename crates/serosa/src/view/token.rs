//! The token that an address must carry: kept for the user, so that an open page finds a restarted program.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The user's token: read from where it is kept, or made and kept; made anew for each run where there is no place
/// to keep it.
pub fn token() -> Result<String, String> {
    let place = place();
    if let Some(kept) = place.as_deref().and_then(read) {
        return Ok(kept);
    }
    let mut random = [0u8; 16];
    getrandom::fill(&mut random).map_err(|e| format!("the system gives no random numbers: {e}"))?;
    let token: String = random.iter().map(|b| format!("{b:02x}")).collect();
    if let Some(place) = place {
        // Not kept is not wrong: the address printed carries it all the same.
        let _ = keep(&place, &token);
    }
    Ok(token)
}

/// Where the token is kept, by the conventions of the system.
fn place() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    let folder = set("XDG_STATE_HOME")
        .or_else(|| set("LOCALAPPDATA"))
        .or_else(|| set("HOME").map(|home| home.join(".local/state")))?;
    Some(folder.join("serosa").join("token"))
}

fn read(place: &Path) -> Option<String> {
    let text = fs::read_to_string(place).ok()?;
    let token = text.trim();
    let sound = token.len() == 32 && token.bytes().all(|b| b.is_ascii_hexdigit());
    (sound && private(place)).then(|| token.to_owned())
}

/// Whether only the user can read it; a token that others may have read is not used again.
#[cfg(unix)]
fn private(place: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(place).is_ok_and(|m| m.permissions().mode() & 0o077 == 0)
}

#[cfg(not(unix))]
fn private(_place: &Path) -> bool {
    true
}

fn keep(place: &Path, token: &str) -> std::io::Result<()> {
    if let Some(folder) = place.parent() {
        fs::create_dir_all(folder)?;
    }
    let _ = fs::remove_file(place);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(place)?.write_all(token.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_kept_for_the_user_alone() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("serosa/token");
        let token = "0123456789abcdef0123456789abcdef";
        keep(&place, token).unwrap();
        assert_eq!(read(&place).as_deref(), Some(token));
        fs::write(&place, "short").unwrap();
        assert_eq!(read(&place), None);
        keep(&place, token).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(&place, fs::Permissions::from_mode(0o644)).unwrap();
            assert_eq!(read(&place), None, "others may have read it");
        }
    }
}
