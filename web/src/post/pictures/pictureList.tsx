import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { lazy } from '../../app/lazy';
import { faultText } from '../../data/faultText';
import { Icon } from '../../elements/icon';
import { announceUndo } from '../../elements/notice';
import { t } from '../../i18n';
import { formatNumber } from '../../i18n/format';
import type { Picture, Uploads } from './uploads';

const Adjust = lazy(() => import('./adjust').then((module) => module.Adjust));

/** Pictures in the order that people see them: put in order by dragging, with a finger too, by buttons or by keys. */
export function PictureList({ uploads }: { uploads: Uploads }): JSX.Element {
  const shown = uploads.pictures.value;
  const dragged = useRef<string | null>(null);
  const list = useRef<HTMLOListElement>(null);
  const [said, setSaid] = useState('');
  const [adjusted, setAdjusted] = useState<Picture | null>(null);

  function shift(from: number, to: number): void {
    if (to < 0 || to >= shown.length || from === to) return;
    const name =
      document.activeElement instanceof HTMLElement ? document.activeElement.dataset.act : undefined;
    uploads.move(from, to);
    setSaid(t('form.moved', { at: to + 1, count: shown.length }));
    // The focus goes with the picture, so that the same key moves it on.
    focusAt(to, name ?? 'back');
  }

  /** The focus goes to that control of the picture at this place, else to one beside it. */
  function focusAt(index: number, act: string): void {
    requestAnimationFrame(() => {
      const tiles = list.current?.children;
      const tile = tiles?.[Math.min(index, tiles.length - 1)];
      const wanted = tile?.querySelector<HTMLElement>(`[data-act="${act}"]:not([disabled])`);
      const other = (tile ?? list.current?.parentElement)?.querySelector<HTMLElement>(
        'button:not([disabled]), input',
      );
      (wanted ?? other)?.focus();
    });
  }

  /** The tile below the pointer takes the dragged picture, while the pointer moves. */
  function drag({ clientX, clientY }: PointerEvent): void {
    const pictures = uploads.pictures.peek();
    const from = pictures.findIndex(({ key }) => key === dragged.current);
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
        onPointerMove={(event) => {
          if (dragged.current !== null) drag(event);
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
                dragged.current = picture.key;
                list.current?.setPointerCapture(event.pointerId);
              }}
            >
              <img src={picture.url} alt={t('form.picture', { at: index + 1 })} draggable={false} />
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
            <span class="picture-acts">
              <button
                type="button"
                data-act="back"
                disabled={index === 0}
                aria-label={t('form.moveBack', { at: index + 1 })}
                onClick={() => shift(index, index - 1)}
              >
                <Icon name="left" />
              </button>
              <button
                type="button"
                data-act="on"
                disabled={index === shown.length - 1}
                aria-label={t('form.moveOn', { at: index + 1 })}
                onClick={() => shift(index, index + 1)}
              >
                <Icon name="right" />
              </button>
              <button
                type="button"
                data-act="remove"
                aria-label={t('form.removePicture', { at: index + 1 })}
                onClick={() => {
                  announceUndo('done.removePicture', uploads.remove(picture.key), () => uploads.commit());
                  focusAt(index, 'remove');
                }}
              >
                <Icon name="close" />
              </button>
              <button
                type="button"
                class="worded"
                data-act="adjust"
                aria-label={t('form.adjustPicture', { at: index + 1 })}
                onClick={() => setAdjusted(picture)}
              >
                {t('form.adjust')}
              </button>
              {index > 0 && (
                <button
                  type="button"
                  class="worded"
                  data-act="first"
                  aria-label={t('form.makePictureFirst', { at: index + 1 })}
                  onClick={() => shift(index, 0)}
                >
                  {t('form.makeFirst')}
                </button>
              )}
            </span>
          </li>
        ))}
      </ol>
      <p class="unseen" aria-live="polite">
        {said}
      </p>
      {adjusted && (
        <Adjust
          picture={adjusted}
          onDone={(blob) => {
            const index = shown.findIndex(({ key }) => key === adjusted.key);
            if (blob) uploads.replace(adjusted.key, blob);
            setAdjusted(null);
            focusAt(index, 'adjust');
          }}
        />
      )}
    </>
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
