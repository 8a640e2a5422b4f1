/** A picture is turned and cut before it is shown to others. */
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { t } from '../../i18n';
import { fitInto } from './shrink';
import type { Picture } from './uploads';

const EDGES = ['left', 'right', 'top', 'bottom'] as const;
type Edge = (typeof EDGES)[number];
/** How much is cut off at each edge, in hundredths of the picture as it is turned. */
type Cut = Record<Edge, number>;
const WHOLE: Cut = { left: 0, right: 0, top: 0, bottom: 0 };
/** At most so much at one edge: a part in the middle always stays. */
const MOST = 45;
const SHOWN = 640;
const STORED = 2048;
const QUALITY = 0.9;

export function Adjust({
  picture,
  onDone,
}: {
  picture: Picture;
  /** Called without a picture if nothing is to be changed. */
  onDone: (blob?: Blob) => void;
}): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const held = useRef<Edge[]>([]);
  const [bitmap, setBitmap] = useState<ImageBitmap | null>(null);
  const [failed, setFailed] = useState(false);
  const [turns, setTurns] = useState(0);
  const [cut, setCut] = useState(WHOLE);
  useEffect(() => {
    dialog.current?.showModal();
    load(picture).then(setBitmap, () => setFailed(true));
  }, []);
  useEffect(() => {
    if (bitmap && canvas.current) draw(canvas.current, bitmap, turns, WHOLE, SHOWN);
  }, [bitmap, turns]);

  async function done(): Promise<void> {
    if (!bitmap || (turns % 4 === 0 && EDGES.every((edge) => cut[edge] === 0))) return onDone();
    const made = document.createElement('canvas');
    draw(made, bitmap, turns, cut, STORED);
    const blob = await new Promise<Blob | null>((resolve) => made.toBlob(resolve, 'image/jpeg', QUALITY));
    onDone(blob ?? undefined);
  }

  /** The edges nearest to the pointer follow it. */
  function drag(event: PointerEvent & { currentTarget: HTMLElement }, start: boolean): void {
    const box = event.currentTarget.getBoundingClientRect();
    const x = (100 * (event.clientX - box.left)) / box.width;
    const y = (100 * (event.clientY - box.top)) / box.height;
    if (start) held.current = [x < 50 ? 'left' : 'right', y < 50 ? 'top' : 'bottom'];
    const from: Cut = { left: x, right: 100 - x, top: y, bottom: 100 - y };
    setCut((now) => {
      const next = { ...now };
      for (const edge of held.current) next[edge] = Math.min(MOST, Math.max(0, Math.round(from[edge])));
      return next;
    });
  }

  return (
    <dialog class="dialog adjust" ref={dialog} aria-labelledby="adjust-title" onCancel={() => onDone()}>
      <h2 id="adjust-title">{t('adjust.title')}</h2>
      {failed && <p class="error">{t('problem.invalid-image')}</p>}
      <div
        class="adjust-stage"
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          drag(event, true);
        }}
        onPointerMove={(event) => {
          if (held.current.length > 0) drag(event, false);
        }}
        onLostPointerCapture={() => {
          held.current = [];
        }}
      >
        <canvas ref={canvas} />
        <span
          class="adjust-frame"
          style={{ inset: `${cut.top}% ${cut.right}% ${cut.bottom}% ${cut.left}%` }}
          aria-hidden="true"
        />
      </div>
      <div class="buttons">
        <button type="button" disabled={!bitmap} onClick={() => setTurns((turns + 3) % 4)}>
          {t('adjust.left')}
        </button>
        <button type="button" disabled={!bitmap} onClick={() => setTurns((turns + 1) % 4)}>
          {t('adjust.right')}
        </button>
      </div>
      <fieldset class="adjust-cut">
        <legend>{t('adjust.cut')}</legend>
        {EDGES.map((edge) => (
          <label key={edge}>
            <span>{t(`adjust.edge.${edge}`)}</span>
            <input
              type="range"
              min={0}
              max={MOST}
              value={cut[edge]}
              onInput={(event) => setCut({ ...cut, [edge]: Number(event.currentTarget.value) })}
            />
          </label>
        ))}
      </fieldset>
      <div class="buttons">
        <button type="button" class="primary" disabled={!bitmap} onClick={() => void done()}>
          {t('adjust.done')}
        </button>
        <button type="button" onClick={() => onDone()}>
          {t('form.cancel')}
        </button>
      </div>
    </dialog>
  );
}

async function load({ blob, url, whole = url }: Picture): Promise<ImageBitmap> {
  const found = blob ?? (await (await fetch(whole)).blob());
  return createImageBitmap(found, { imageOrientation: 'from-image' });
}

function draw(canvas: HTMLCanvasElement, bitmap: ImageBitmap, turns: number, cut: Cut, side: number): void {
  const upright = turns % 2 === 0;
  const whole = upright
    ? { width: bitmap.width, height: bitmap.height }
    : { width: bitmap.height, height: bitmap.width };
  const size = fitInto(whole.width, whole.height, side);
  const scale = size.width / whole.width;
  canvas.width = Math.round((size.width * (100 - cut.left - cut.right)) / 100);
  canvas.height = Math.round((size.height * (100 - cut.top - cut.bottom)) / 100);
  const context = canvas.getContext('2d');
  if (!context) return;
  context.translate(
    size.width / 2 - (size.width * cut.left) / 100,
    size.height / 2 - (size.height * cut.top) / 100,
  );
  context.rotate((turns * Math.PI) / 2);
  context.scale(scale, scale);
  context.drawImage(bitmap, -bitmap.width / 2, -bitmap.height / 2);
}
