// Light and dark: as the system says, until the user says otherwise.

/** What the user chose; `null` follows the system. */
type Choice = "light" | "dark" | null;

const KEY = "serosa-theme";

/** The theme of the page. */
export class Theme {
  private choice: Choice = remembered();
  private readonly system = window.matchMedia("(prefers-color-scheme: dark)");

  /** Calls `onChange` at once and on every change. */
  constructor(private readonly onChange: (dark: boolean) => void) {
    this.system.addEventListener("change", () => this.apply());
    this.apply();
  }

  /** Whether it is dark now. */
  get dark(): boolean {
    return this.choice ? this.choice === "dark" : this.system.matches;
  }

  /** Changes between light and dark, and remembers. */
  toggle(): void {
    this.choice = this.dark ? "light" : "dark";
    try {
      localStorage.setItem(KEY, this.choice);
    } catch {
      // A browser that keeps nothing still shows the theme.
    }
    this.apply();
  }

  private apply(): void {
    document.documentElement.dataset.theme = this.dark ? "dark" : "light";
    this.onChange(this.dark);
  }
}

function remembered(): Choice {
  try {
    const value = localStorage.getItem(KEY);
    return value === "light" || value === "dark" ? value : null;
  } catch {
    return null;
  }
}
