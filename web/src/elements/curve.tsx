/** Bars of days; one that is unknown is left out. */
import type { JSX } from 'preact';
import { formatDay } from '../i18n/format';

const HEIGHT = 32;
const STEP = 6;

export interface DayFigure {
  /** As `2026-11-28`. */
  date: string;
  value: number | null;
}

export function Curve({
  days,
  label,
  text,
}: {
  days: readonly DayFigure[];
  label: string;
  /** What a bar says. */
  text: (value: number) => string;
}): JSX.Element {
  const most = Math.max(...days.map(({ value }) => value ?? 0), 1);
  return (
    <svg class="curve" viewBox={`0 0 ${days.length * STEP} ${HEIGHT}`} role="img" aria-label={label}>
      {days.map(({ date, value }, index) => {
        if (value === null) return null;
        const height = Math.max((value / most) * HEIGHT, 1);
        return (
          <rect key={date} x={index * STEP} y={HEIGHT - height} width="4" height={height}>
            <title>{`${formatDay(date)}: ${text(value)}`}</title>
          </rect>
        );
      })}
    </svg>
  );
}
