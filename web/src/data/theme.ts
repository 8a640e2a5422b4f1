/** Light or dark: as the device has it, or as the person has chosen on this device. */
import { signal } from '@preact/signals';

type Theme = 'system' | 'light' | 'dark';

const THEMES: readonly Theme[] = ['system', 'light', 'dark'];
const KEPT = 'theme';
const SCHEME = 'prefers-color-scheme';
/** What stands for the device's own scheme in rules for light and for dark. */
const ALWAYS = 'all';
const NEVER = 'not all';

function kept(): Theme {
  try {
    return THEMES.find((one) => one === localStorage.getItem(KEPT)) ?? 'system';
  } catch {
    return 'system'; // Storage may be switched off.
  }
}

export const theme = signal<Theme>(kept());

/** What has rules for one scheme: style sheets, also the operator's, and colours of the browser's frame. */
interface Scheme {
  of: string;
  apply: (media: string) => void;
}
let schemes: Scheme[] | undefined;

function found(): Scheme[] {
  const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]);
  const inSheets = rules
    .filter((rule): rule is CSSMediaRule => rule instanceof CSSMediaRule)
    .filter(({ media }) => media.mediaText.includes(SCHEME))
    .map(({ media }) => ({
      of: media.mediaText,
      apply: (text: string) => {
        media.mediaText = text;
      },
    }));
  const metas = [...document.querySelectorAll<HTMLMetaElement>(`meta[media*="${SCHEME}"]`)];
  const inHead = metas.map((meta) => ({
    of: meta.media,
    apply: (text: string) => {
      meta.media = text;
    },
  }));
  return [...inSheets, ...inHead];
}

export function applyTheme(): void {
  const chosen = theme.peek();
  if (chosen === 'system' && !schemes) return;
  schemes ??= found();
  for (const { of, apply } of schemes) apply(chosen === 'system' ? of : of.includes(chosen) ? ALWAYS : NEVER);
  document.documentElement.style.colorScheme = chosen === 'system' ? '' : chosen;
}

export const isDark = (): boolean =>
  theme.value === 'system' ? matchMedia(`(${SCHEME}: dark)`).matches : theme.value === 'dark';

export function nextTheme(): void {
  const next = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? 'system';
  theme.value = next;
  try {
    if (next === 'system') localStorage.removeItem(KEPT);
    else localStorage.setItem(KEPT, next);
  } catch {
    // It lasts as long as the page.
  }
  applyTheme();
}
