/** Pictures as large as the screen: pinch, double tap, swipe, and by keyboard. */
import type { JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Image } from '../data/client';
import { Icon } from '../elements/icon';
import { t } from '../i18n';

interface View {
  scale: number;
  x: number;
  y: number;
}

interface Point {
  x: number;
  y: number;
}

const WHOLE: View = { scale: 1, x: 0, y: 0 };
const LARGEST = 5;
const DOUBLE = 2.5;
const ZOOM = 1.5;
/** How far a key moves what is enlarged, of the screen. */
const PAN = 0.2;
/** How far a finger moves, in pixels, until it is a swipe and no tap; and until the swipe counts. */
const TAP = 10;
const SWIPE = 60;
const DOUBLE_TAP_MS = 300;

const within = (value: number, most: number): number => Math.max(-most, Math.min(most, value));

const distance = ([one, other]: Point[]): number =>
  one && other ? Math.hypot(one.x - other.x, one.y - other.y) : 0;

/** What a picture's zoom and position are under one or two fingers; `step` and `close` are what swipes do. */
class Gestures {
  view: View = WHOLE;
  private readonly fingers = new Map<number, Point>();
  private begun = { view: WHOLE, fingers: [] as Point[] };
  private tapped = 0;
  /** Since no finger was down: the last one to leave after a pinch is no tap. */
  private pinched = false;

  constructor(
    private readonly picture: HTMLImageElement,
    private readonly step: (by: number) => void,
    private readonly close: () => void,
  ) {}

  /** What is enlarged ends at the edges of the screen; the whole picture stays in the middle, unless a finger `holds` it. */
  show(view: View, holds = false): void {
    const scale = Math.min(LARGEST, Math.max(1, view.scale));
    const free = holds && scale === 1;
    const { x, y } = free ? view : this.inside({ ...view, scale });
    this.view = { scale, x, y };
    this.picture.style.transform = `translate(${x}px, ${y}px) scale(${scale})`;
  }

  /** By a key: the picture goes the other way than the eye. */
  pan(x: number, y: number): void {
    const { scale, ...at } = this.view;
    const { clientWidth, clientHeight } = this.picture;
    this.show({ scale, x: at.x - x * PAN * clientWidth, y: at.y - y * PAN * clientHeight });
  }

  zoom(by: number): void {
    const { scale, x, y } = this.view;
    this.show({ scale: scale * by, x: x * by, y: y * by });
  }

  private inside({ scale, x, y }: View): Point {
    const { clientWidth, clientHeight, naturalWidth, naturalHeight } = this.picture;
    // Before it is loaded it is taken to be as large as the screen.
    const fit = naturalWidth ? Math.min(clientWidth / naturalWidth, clientHeight / naturalHeight) : 0;
    const most = (screen: number, natural: number): number =>
      Math.max(0, ((fit ? natural * fit : screen) * scale - screen) / 2);
    return { x: within(x, most(clientWidth, naturalWidth)), y: within(y, most(clientHeight, naturalHeight)) };
  }

  down(event: PointerEvent): void {
    this.picture.setPointerCapture(event.pointerId);
    this.fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    this.pinched = this.fingers.size > 1;
    this.begin();
  }

  move(event: PointerEvent): void {
    if (!this.fingers.has(event.pointerId)) return;
    this.fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    const fingers = [...this.fingers.values()];
    const { view } = this.begun;
    const { x, y } = this.moved(fingers);
    const ratio = fingers.length > 1 ? distance(fingers) / distance(this.begun.fingers) : 1;
    this.show({ scale: view.scale * ratio, x: view.x + x, y: view.y + y }, true);
  }

  up(event: PointerEvent): void {
    if (!this.fingers.has(event.pointerId)) return;
    const { x, y } = this.moved([...this.fingers.values()]);
    const one = this.fingers.size === 1;
    const wasWhole = this.begun.view.scale === 1;
    this.fingers.delete(event.pointerId);
    if (!one) this.begin();
    else if (Math.hypot(x, y) < TAP) {
      this.show(this.view);
      if (!this.pinched) this.tap(event);
    } else if (wasWhole && this.view.scale === 1) this.swipe(x, y);
    else if (this.view.scale === 1) this.show(WHOLE);
  }

  cancel(event: PointerEvent): void {
    this.fingers.delete(event.pointerId);
    if (this.view.scale === 1) this.show(WHOLE);
  }

  private begin(): void {
    this.begun = { view: this.view, fingers: [...this.fingers.values()] };
  }

  private moved(fingers: Point[]): Point {
    const middle = (points: Point[]): Point => ({
      x: points.reduce((sum, point) => sum + point.x, 0) / points.length,
      y: points.reduce((sum, point) => sum + point.y, 0) / points.length,
    });
    const [from, to] = [middle(this.begun.fingers), middle(fingers)];
    return { x: to.x - from.x, y: to.y - from.y };
  }

  private tap(event: PointerEvent): void {
    const again = event.timeStamp - this.tapped < DOUBLE_TAP_MS;
    this.tapped = again ? 0 : event.timeStamp;
    if (!again) return;
    const fromMiddle = { x: event.clientX - innerWidth / 2, y: event.clientY - innerHeight / 2 };
    const away = 1 - DOUBLE;
    this.show(
      this.view.scale > 1 ? WHOLE : { scale: DOUBLE, x: fromMiddle.x * away, y: fromMiddle.y * away },
    );
  }

  private swipe(x: number, y: number): void {
    this.show(WHOLE);
    if (y > SWIPE && y > Math.abs(x)) this.close();
    else if (Math.abs(x) > SWIPE) this.step(x < 0 ? 1 : -1);
  }
}

const ARROWS: Record<string, readonly [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

export function FullScreen({
  images,
  title,
  first,
  onClose,
}: {
  images: Image[];
  title: string;
  first: number;
  /** Gets the picture that was seen last. */
  onClose: (at: number) => void;
}): JSX.Element | null {
  const dialog = useRef<HTMLDialogElement>(null);
  const picture = useRef<HTMLImageElement>(null);
  const gestures = useRef<Gestures | null>(null);
  const [at, setAt] = useState(first);
  const count = images.length;
  const image = images[at];
  const close = (): void => dialog.current?.close();
  const step = useRef((_by: number): void => undefined);
  step.current = (by) => setAt(Math.max(0, Math.min(count - 1, at + by)));
  useLayoutEffect(() => {
    dialog.current?.showModal();
    dialog.current?.focus();
  }, []);
  // Before the next key, so that it is not undone.
  useLayoutEffect(() => {
    if (!picture.current) return;
    gestures.current ??= new Gestures(picture.current, (by) => step.current(by), close);
    gestures.current.show(WHOLE);
  }, [at]);
  if (!image) return null;

  function onKeyDown(event: KeyboardEvent): void {
    const [x, y] = ARROWS[event.key] ?? [0, 0];
    const shown = gestures.current;
    if (shown && shown.view.scale > 1 && (x || y)) shown.pan(x, y);
    else if (x) step.current(x);
    else if (shown && (event.key === '+' || event.key === '-'))
      shown.zoom(event.key === '+' ? ZOOM : 1 / ZOOM);
    else return;
    event.preventDefault();
  }

  return (
    <dialog
      ref={dialog}
      class="full-screen"
      aria-label={t('gallery.label')}
      tabIndex={-1}
      onClose={() => onClose(at)}
      onKeyDown={onKeyDown}
    >
      <img
        ref={picture}
        src={image.image}
        alt={t('gallery.alt', { title, at: at + 1, count })}
        draggable={false}
        onPointerDown={(event) => gestures.current?.down(event)}
        onPointerMove={(event) => gestures.current?.move(event)}
        onPointerUp={(event) => gestures.current?.up(event)}
        onPointerCancel={(event) => gestures.current?.cancel(event)}
      />
      <p aria-live="polite">{t('gallery.position', { at: at + 1, count })}</p>
      <button type="button" class="icon-only close" onClick={close}>
        <Icon name="close" />
        <span class="unseen">{t('gallery.close')}</span>
      </button>
      {count > 1 && (
        <>
          <button
            type="button"
            class="icon-only step back"
            aria-disabled={at === 0}
            onClick={() => step.current(-1)}
          >
            <Icon name="left" />
            <span class="unseen">{t('gallery.previous')}</span>
          </button>
          <button
            type="button"
            class="icon-only step on"
            aria-disabled={at === count - 1}
            onClick={() => step.current(1)}
          >
            <Icon name="right" />
            <span class="unseen">{t('gallery.next')}</span>
          </button>
        </>
      )}
    </dialog>
  );
}
