import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { lazy } from '../../app/lazy';
import { faultText } from '../../data/faultText';
import { Icon } from '../../elements/icon';
import { announceUndo } from '../../elements/notice';
import { Sheet } from '../../elements/sheet';
import { t } from '../../i18n';
import { formatNumber } from '../../i18n/format';
import type { Picture, Uploads } from './uploads';

const Adjust = lazy(() => import('./adjust').then((module) => module.Adjust));

/** A press that moves further, in pixels, drags. */
const STILL = 6;

/** Pictures in the order that people see them: put in order by dragging, with a finger too, or by keys; a press opens a sheet. */
export function PictureList({ uploads }: { uploads: Uploads }): JSX.Element {
  const shown = uploads.pictures.value;
  const dragged = useRef<{ key: string; x: number; y: number } | null>(null);
  const list = useRef<HTMLOListElement>(null);
  const [said, setSaid] = useState('');
  const [opened, setOpened] = useState<string | null>(null);
  const [adjusted, setAdjusted] = useState<Picture | null>(null);
  const at = shown.findIndex(({ key }) => key === opened);

  function shift(from: number, to: number): void {
    if (to < 0 || to >= shown.length || from === to) return;
    uploads.move(from, to);
    setSaid(t('form.moved', { at: to + 1, count: shown.length }));
    // The focus goes with the picture, so that the same key moves it on.
    focusAt(to);
  }

  /** The focus goes to the picture at this place, else to what adds one. */
  function focusAt(index: number): void {
    requestAnimationFrame(() => {
      const tiles = list.current?.children;
      const tile = tiles?.[Math.min(index, tiles.length - 1)] ?? list.current?.parentElement;
      tile?.querySelector<HTMLElement>('button, input')?.focus();
    });
  }

  /** The tile below the pointer takes the dragged picture, while the pointer moves. */
  function drag({ clientX, clientY, pointerId }: PointerEvent): void {
    if (!dragged.current) return;
    const { key, x, y } = dragged.current;
    if (!list.current?.hasPointerCapture(pointerId)) {
      if (Math.hypot(clientX - x, clientY - y) < STILL) return;
      list.current?.setPointerCapture(pointerId);
    }
    const pictures = uploads.pictures.peek();
    const from = pictures.findIndex((picture) => picture.key === key);
    const below = document.elementFromPoint(clientX, clientY)?.closest('li');
    const to = below && list.current ? [...list.current.children].indexOf(below) : -1;
    if (from < 0 || to < 0 || to === from || to >= pictures.length) return;
    uploads.move(from, to);
    setSaid(t('form.moved', { at: to + 1, count: pictures.length }));
  }

  return (
    <>
      <ol
        class="picture-list"
        ref={list}
        onPointerMove={drag}
        onPointerUp={() => {
          dragged.current = null;
        }}
        onLostPointerCapture={() => {
          dragged.current = null;
        }}
      >
        {shown.map((picture, index) => (
          <li
            key={picture.key}
            onKeyDown={(event) => {
              const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
              if (step === undefined) return;
              event.preventDefault();
              shift(index, index + step);
            }}
          >
            <div
              class="picture-drag"
              onPointerDown={(event) => {
                // A finger on the picture scrolls the page; on the grip it drags.
                const grip = event.target instanceof Element && event.target.closest('.grip');
                if (event.button !== 0 || (event.pointerType === 'touch' && !grip)) return;
                event.preventDefault();
                dragged.current = { key: picture.key, x: event.clientX, y: event.clientY };
              }}
            >
              <img src={picture.url} alt={t('form.picture', { at: index + 1 })} draggable={false} />
              <button
                type="button"
                class="picture-open"
                aria-label={t('form.adjustPicture', { at: index + 1 })}
                onClick={() => setOpened(picture.key)}
              />
              {shown.length > 1 && (
                <span class="grip" aria-hidden="true">
                  <Icon name="grip" />
                </span>
              )}
              {index === 0 && <span class="badge">{t('form.first')}</span>}
              <Standing picture={picture} at={index + 1} />
            </div>
            {picture.fault && (
              <p class="error">
                {faultText(picture.fault)}{' '}
                <button type="button" class="plain" onClick={() => uploads.retry(picture.key)}>
                  {t('form.retry')}
                </button>
              </p>
            )}
          </li>
        ))}
      </ol>
      <p class="unseen" aria-live="polite">
        {said}
      </p>
      {shown[at] && (
        <PictureSheet
          picture={shown[at]}
          at={at}
          last={shown.length - 1}
          onClose={() => setOpened(null)}
          onMove={(to) => shift(at, to)}
          onAdjust={setAdjusted}
          onRemove={({ key }) => {
            announceUndo('done.removePicture', uploads.remove(key), () => uploads.commit());
            focusAt(at);
          }}
        />
      )}
      {adjusted && (
        <Adjust
          picture={adjusted}
          onDone={(blob) => {
            const index = shown.findIndex(({ key }) => key === adjusted.key);
            if (blob) uploads.replace(adjusted.key, blob);
            setAdjusted(null);
            focusAt(index);
          }}
        />
      )}
    </>
  );
}

/** One picture as large as there is room, and all that can be done to it. */
function PictureSheet({
  picture,
  at,
  last,
  onClose,
  onMove,
  onAdjust,
  onRemove,
}: {
  picture: Picture;
  at: number;
  last: number;
  onClose: () => void;
  onMove: (to: number) => void;
  onAdjust: (picture: Picture) => void;
  onRemove: (picture: Picture) => void;
}): JSX.Element {
  return (
    <Sheet title={t('form.picture', { at: at + 1 })} onClose={onClose}>
      {(close) => {
        const act = (text: string, then: () => void, look?: 'danger'): JSX.Element => (
          <button
            type="button"
            class={look}
            onClick={() => {
              close();
              then();
            }}
          >
            {text}
          </button>
        );
        return (
          <div class="picture-sheet">
            <img src={picture.url} alt="" />
            {act(t('form.adjust'), () => onAdjust(picture))}
            {at > 0 && act(t('form.makeFirst'), () => onMove(0))}
            {at > 1 && act(t('form.moveBack'), () => onMove(at - 1))}
            {at < last && act(t('form.moveOn'), () => onMove(at + 1))}
            {act(t('form.removePicture'), () => onRemove(picture), 'danger')}
          </div>
        );
      }}
    </Sheet>
  );
}

/** How far it is on its way to the service. */
function Standing({
  picture: { id, part, fault },
  at,
}: {
  picture: Picture;
  at: number;
}): JSX.Element | null {
  if (id !== null || fault) return null;
  return (
    <span class="picture-standing">
      <progress
        aria-label={t('form.sendingPicture', { at })}
        max={1}
        {...(part === null ? {} : { value: part })}
      >
        {formatNumber(Math.round((part ?? 0) * 100))} %
      </progress>
    </span>
  );
}
