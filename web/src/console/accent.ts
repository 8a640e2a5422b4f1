/** The colours that follow from an accent, as `adsvc.settings.colours` makes them. */

type Colour = readonly [number, number, number];

const WHITE: Colour = [255, 255, 255];
const BLACK: Colour = [0, 0, 0];
const PAPER: Colour = [0xf6, 0xf5, 0xf2];
const RAISED: Colour = [0x1a, 0x20, 0x23];
const FILL: Colour = [0x28, 0x30, 0x34];
const LEAST = 4.5;
const STEPS = 64;

const parsed = (text: string): Colour => {
  const value = Number.parseInt(text.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
};
const written = (colour: Colour): string => `rgb(${colour.join(' ')})`;
const mixed = (one: Colour, other: Colour, part: number): Colour =>
  one.map((value, index) => Math.round(value + ((other[index] ?? 0) - value) * part)) as unknown as Colour;

function luminance(colour: Colour): number {
  const [red, green, blue] = colour.map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as unknown as Colour;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

export function contrast(one: Colour, other: Colour): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

function shade(accent: Colour, towards: Colour, grounds: (shade: Colour) => Colour[]): Colour {
  const shades = Array.from({ length: STEPS + 1 }, (_, step) => mixed(accent, towards, step / STEPS));
  const found = shades.find((one) => grounds(one).every((ground) => contrast(one, ground) >= LEAST));
  return found ?? towards;
}

function scheme(fill: Colour, accent: Colour, soft: Colour, text: Colour): string {
  const inks = [WHITE, mixed(accent, BLACK, 0.8), BLACK];
  const ink = inks.find((one) => contrast(one, fill) >= LEAST) ?? BLACK;
  const [a, b, c, d] = [fill, ink, soft, text].map(written);
  return `html:root{--accent:${a};--accent-ink:${b};--accent-soft:${c};--accent-text:${d}}`;
}

/** A style sheet with an accent `#rrggbb`, for both schemes. */
export function accentSheet(text: string): string {
  const accent = parsed(text);
  const soft = mixed(WHITE, accent, 0.12);
  const light = scheme(
    accent,
    accent,
    soft,
    shade(accent, BLACK, () => [WHITE, PAPER, soft]),
  );
  const lighter = shade(accent, WHITE, (one) => [RAISED, FILL, mixed(RAISED, one, 0.2)]);
  const dark = scheme(lighter, accent, mixed(RAISED, lighter, 0.2), lighter);
  return `${light}@media (prefers-color-scheme:dark){${dark}}`;
}
