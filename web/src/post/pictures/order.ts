/** The same things with one of them at another place. */
export function move<Thing>(things: readonly Thing[], from: number, to: number): Thing[] {
  const moved = [...things];
  const [thing] = moved.splice(from, 1);
  if (thing !== undefined) moved.splice(to, 0, thing);
  return moved;
}
