/** A copy of the list with one element moved. */
export function move<Thing>(things: readonly Thing[], from: number, to: number): Thing[] {
  const moved = [...things];
  const [thing] = moved.splice(from, 1);
  if (thing !== undefined) moved.splice(to, 0, thing);
  return moved;
}
