/** What the person keeps: ads, with what became of them since. Searches are the other tab. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { SignedIn } from '../account/enterFirst';
import { lazy } from '../app/lazy';
import '../post/words';
import type { Ad, Favorite } from '../data/client';
import { favoritesQuery } from '../data/queries';
import { usePages } from '../data/query';
import { currency, has } from '../data/site';
import { Heart } from '../elements/heart';
import { Listing } from '../elements/listing';
import { Page } from '../elements/page';
import { Price } from '../elements/price';
import { Tabs } from '../elements/tabs';
import { t } from '../i18n';
import { formatDate, formatMoney } from '../i18n/format';

const Compare = lazy(() => import('./compare').then((module) => module.Compare));

export function SavedTabs({ current }: { current: 'ads' | 'searches' }): JSX.Element {
  const tab = (name: 'ads' | 'searches', href: string) => ({
    href,
    text: t(`saved.${name}`),
    current: name === current,
  });
  const searches = has('searches') ? [tab('searches', '/my/searches')] : [];
  return <Tabs label={t('saved.title')} tabs={[tab('ads', '/my/saved'), ...searches]} />;
}

export function SavedPage(): JSX.Element {
  return (
    <SignedIn title={t('saved.title')}>
      {() => (
        <Page title={t('saved.title')}>
          <SavedTabs current="ads" />
          <Favorites />
        </Page>
      )}
    </SignedIn>
  );
}

const MOST_COMPARED = 4;

function Favorites(): JSX.Element {
  const [chosen, setChosen] = useState<readonly Ad[]>([]);
  const [compares, setCompares] = useState(false);
  const choose = (ad: Ad): void =>
    setChosen(
      chosen.some(({ pk }) => pk === ad.pk) ? chosen.filter(({ pk }) => pk !== ad.pk) : [...chosen, ad],
    );
  return (
    <>
      {chosen.length > 0 && (
        <p class="toolbar split" role="status">
          <span class="faint">{t('compare.hint', { count: MOST_COMPARED })}</span>
          <button
            type="button"
            class="primary"
            disabled={chosen.length < 2}
            onClick={() => setCompares(true)}
          >
            {t('compare.do', { count: chosen.length })}
          </button>
        </p>
      )}
      {compares && <Compare ads={chosen} onClose={() => setCompares(false)} />}
      <Listing
        result={usePages(favoritesQuery())}
        look="my-ads"
        none={{
          drawing: 'heart',
          text: t('saved.none'),
          to: { href: '/search', text: t('notFound.search') },
        }}
        each={(favorite: Favorite) => (
          <Row
            key={favorite.pk}
            of={favorite}
            isChosen={chosen.some(({ pk }) => pk === favorite.pk)}
            isFull={chosen.length >= MOST_COMPARED}
            onChoose={choose}
          />
        )}
      />
    </>
  );
}

/** It stays when its heart is released, so that it can be pressed again. */
function Row({
  of: { pk, ad, addedAt, priceThen },
  isChosen,
  isFull,
  onChoose,
}: {
  of: Favorite;
  /** To be compared. */
  isChosen: boolean;
  isFull: boolean;
  onChoose: (ad: Ad) => void;
}): JSX.Element {
  return (
    <li class="panel">
      <article aria-labelledby={`saved-${pk}`}>
        {ad ? (
          <img class="thumb" src={ad.thumbnail} alt="" width="96" height="72" loading="lazy" />
        ) : (
          <span />
        )}
        <div>
          <h2 id={`saved-${pk}`} dir="auto">
            {ad ? <a href={`/a/${pk}`}>{ad.title}</a> : t('saved.gone')}
          </h2>
          {ad && <Now ad={ad} priceThen={priceThen} />}
          <p class="faint">{t('saved.added', { date: formatDate(addedAt) })}</p>
          {ad && (
            <label class="check">
              <input
                type="checkbox"
                checked={isChosen}
                disabled={isFull && !isChosen}
                aria-label={t('compare.named', { title: ad.title })}
                onChange={() => onChoose(ad)}
              />
              <span aria-hidden="true">{t('compare.choose')}</span>
            </label>
          )}
        </div>
        <Heart ad={pk} author={ad?.author} />
      </article>
    </li>
  );
}

function Now({ ad, priceThen }: { ad: Ad; priceThen: number }): JSX.Element {
  return (
    <p>
      <span class="price">
        <Price of={ad} />
      </span>
      <Since ad={ad} priceThen={priceThen} />{' '}
      {ad.status !== 'active' && <span class="tag">{t(`status.${ad.status}`)}</span>}
    </p>
  );
}

function Since({ ad, priceThen }: { ad: Ad; priceThen: number }): JSX.Element | null {
  if (ad.price === priceThen || !['fixed', 'negotiable'].includes(ad.priceType)) return null;
  const money = (amount: number): string => formatMoney(amount, currency.value);
  if (ad.price > priceThen) return <span class="faint"> {t('saved.rose', { price: money(priceThen) })}</span>;
  return <strong class="fell"> {t('saved.fell', { amount: money(priceThen - ad.price) })}</strong>;
}
