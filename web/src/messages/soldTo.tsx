/** Who bought it, of those who have written about the ad. */
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useQuery } from '../data/query';
import { t } from '../i18n';
import { talkersQuery } from './queries';
import { nameOf, preview } from './text';

const NONE = '';

/** Asked in any case, because what is sold cannot be put on sale again. */
export function SoldTo({
  ad,
  onSell,
  onCancel,
}: {
  ad: number;
  onSell: (buyer?: number) => void;
  onCancel: () => void;
}): JSX.Element | null {
  const [chosen, setChosen] = useState<string | null>(null);
  const box = useRef<HTMLFieldSetElement>(null);
  const { data, isError } = useQuery(talkersQuery(ad));
  const known = isError || data !== undefined;
  const none = isError || data?.length === 0;
  useEffect(() => box.current?.focus(), [known]);
  if (!known) return null;
  const choice = (value: string, text: string, last = ''): JSX.Element => (
    <label class="check" key={value}>
      <input
        type="radio"
        name={`buyer-${ad}`}
        value={value}
        checked={chosen === value}
        onChange={() => setChosen(value)}
      />
      <span>
        {text} <span class="faint">{last}</span>
      </span>
    </label>
  );
  return (
    <fieldset class="confirm sold-to" ref={box} tabIndex={-1}>
      <legend>{t(none ? 'soldTo.sure' : 'soldTo.who')}</legend>
      <p>{t('soldTo.final')}</p>
      {/* Of two with the same name, the last message tells which is which. */}
      {data?.map(
        (one) => one.other && choice(String(one.other.id), nameOf(one.other), preview(one).slice(0, 60)),
      )}
      {!none && choice(NONE, t('soldTo.other'))}
      <div class="buttons">
        <button
          type="button"
          class="primary"
          disabled={chosen === null && !none}
          onClick={() => onSell(chosen ? Number(chosen) : undefined)}
        >
          {t('step.sell')}
        </button>
        <button type="button" onClick={onCancel}>
          {t('form.cancel')}
        </button>
      </div>
    </fieldset>
  );
}
