/** What the person keeps: ads, with what became of them since. Searches are the other tab. */
import type { JSX } from 'preact';
import { SignedIn } from '../account/enterFirst';
import type { Ad, Favorite } from '../data/client';
import { favoritesQuery } from '../data/queries';
import { usePages } from '../data/query';
import { currency } from '../data/site';
import { Heart } from '../elements/heart';
import { Listing } from '../elements/listing';
import { Page } from '../elements/page';
import { Price } from '../elements/price';
import { Tabs } from '../elements/tabs';
import { t } from '../i18n';
import { formatDate, formatMoney } from '../i18n/format';

export function SavedTabs({ current }: { current: 'ads' | 'searches' }): JSX.Element {
  const tab = (name: 'ads' | 'searches', href: string) => ({
    href,
    text: t(`saved.${name}`),
    current: name === current,
  });
  return <Tabs label={t('saved.title')} tabs={[tab('ads', '/my/saved'), tab('searches', '/my/searches')]} />;
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

function Favorites(): JSX.Element {
  return (
    <Listing
      result={usePages(favoritesQuery())}
      look="my-ads"
      none={{ drawing: 'heart', text: t('saved.none'), to: { href: '/search', text: t('notFound.search') } }}
      each={(favorite: Favorite) => <Row key={favorite.pk} of={favorite} />}
    />
  );
}

/** It stays when its heart is released, so that it can be pressed again. */
function Row({ of: { pk, ad, addedAt, priceThen } }: { of: Favorite }): JSX.Element {
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
