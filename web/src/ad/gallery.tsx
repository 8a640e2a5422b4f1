/** Pictures beside each other: swiped by hand, by arrow keys, or chosen from the small ones. */
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { lazy } from '../app/lazy';
import type { Image } from '../data/client';
import { Icon } from '../elements/icon';
import { t } from '../i18n';

const FullScreen = lazy(() => import('./fullScreen').then((module) => module.FullScreen));

export function Gallery({
  images,
  fallback,
  title,
}: {
  images: Image[];
  fallback: string;
  title: string;
}): JSX.Element {
  const stage = useRef<HTMLUListElement>(null);
  const [at, setAt] = useState(0);
  const [full, setFull] = useState(false);
  const count = Math.max(images.length, 1);

  function show(index: number): void {
    const wanted = Math.max(0, Math.min(count - 1, index));
    const slide = stage.current?.children[wanted];
    if (slide instanceof HTMLElement && stage.current) {
      const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
      stage.current.scrollTo({ left: slide.offsetLeft, behavior: calm ? 'instant' : 'smooth' });
      // The focus of the picture before goes with it.
      if (document.activeElement?.closest('.stage > li'))
        slide.querySelector('button')?.focus({ preventScroll: true });
    }
    setAt(wanted);
  }

  useEffect(() => {
    if (at >= count) setAt(0);
  }, [count]);

  return (
    <section
      class="gallery"
      aria-label={t('gallery.label')}
      onKeyDown={(event) => {
        const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (step === undefined || count === 1) return;
        event.preventDefault();
        show(at + step);
      }}
    >
      <div class="stage-frame">
        <ul
          class="stage"
          ref={stage}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
          tabIndex={0}
          onScroll={(event) => {
            const { scrollLeft, clientWidth } = event.currentTarget;
            if (clientWidth > 0) setAt(Math.round(scrollLeft / clientWidth));
          }}
        >
          {images.length === 0 ? (
            <li>
              <img src={fallback} alt={title} />
            </li>
          ) : (
            images.map((image, index) => (
              <Slide
                key={image.id}
                {...{ image, index, count, title }}
                current={index === at}
                near={Math.abs(index - at) <= 1}
                onOpen={() => setFull(true)}
              />
            ))
          )}
        </ul>
        {count > 1 && (
          <>
            <button
              type="button"
              class="icon-only step back"
              aria-disabled={at === 0}
              onClick={() => show(at - 1)}
            >
              <Icon name="left" />
              <span class="unseen">{t('gallery.previous')}</span>
            </button>
            <button
              type="button"
              class="icon-only step on"
              aria-disabled={at === count - 1}
              onClick={() => show(at + 1)}
            >
              <Icon name="right" />
              <span class="unseen">{t('gallery.next')}</span>
            </button>
            <p class="position" aria-live="polite">
              {t('gallery.position', { at: at + 1, count })}
            </p>
          </>
        )}
      </div>
      {full && (
        <FullScreen
          {...{ images, title }}
          first={at}
          onClose={(last) => {
            setFull(false);
            show(last);
          }}
        />
      )}
      {count > 1 && <Thumbnails {...{ images, at }} onChoose={show} />}
    </section>
  );
}

function Slide({
  image,
  index,
  count,
  title,
  current,
  near,
  onOpen,
}: {
  image: Image;
  index: number;
  count: number;
  title: string;
  current: boolean;
  near: boolean;
  onOpen: () => void;
}): JSX.Element {
  const card = image.variants.card;
  const sources = [card && `${card.path} ${card.width}w`, image.width && `${image.image} ${image.width}w`];
  const srcset = sources.filter(Boolean).join(', ');
  return (
    <li style={image.placeholder ? { backgroundColor: image.placeholder } : {}}>
      <button
        type="button"
        class="enlarge"
        aria-haspopup="dialog"
        tabIndex={current ? 0 : -1}
        onClick={onOpen}
      >
        <span class="unseen">{t('gallery.enlarge')}</span>
        <img
          src={card?.path ?? image.image}
          {...(srcset ? { srcset, sizes: '(min-width: 60rem) 40rem, 100vw' } : {})}
          alt={count > 1 ? t('gallery.alt', { title, at: index + 1, count }) : title}
          loading={near ? 'eager' : 'lazy'}
          {...(index === 0 ? { fetchpriority: 'high' } : {})}
          decoding="async"
        />
      </button>
    </li>
  );
}

function Thumbnails({
  images,
  at,
  onChoose,
}: {
  images: Image[];
  at: number;
  onChoose: (index: number) => void;
}): JSX.Element {
  return (
    <ul class="thumbnails">
      {images.map((image, index) => (
        <li key={image.id}>
          <button
            type="button"
            {...(index === at ? { 'aria-current': 'true' as const } : {})}
            aria-label={t('gallery.show', { at: index + 1 })}
            onClick={() => onChoose(index)}
          >
            <img
              src={image.variants.thumb?.path ?? image.image}
              alt=""
              loading="lazy"
              width="72"
              height="54"
            />
          </button>
        </li>
      ))}
    </ul>
  );
}
