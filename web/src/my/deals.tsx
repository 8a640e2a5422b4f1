/** What was sold to someone of this site, or bought, and the ratings. */
import type { JSX } from 'preact';
import { SignedIn } from '../account/enterFirst';
import type { Deal } from '../data/client';
import { usePages } from '../data/query';
import { currency } from '../data/site';
import { Icon } from '../elements/icon';
import { Listing } from '../elements/listing';
import { Page } from '../elements/page';
import { t } from '../i18n';
import { formatDate, formatMoney } from '../i18n/format';
import { DealState } from '../messages/deal';
import { dealsQuery } from '../messages/queries';
import { nameOf } from '../messages/text';

export function DealsPage(): JSX.Element {
  return (
    <SignedIn title={t('deals.title')}>
      {() => (
        <Page title={t('deals.title')} narrow>
          <Mine />
        </Page>
      )}
    </SignedIn>
  );
}

function Mine(): JSX.Element {
  return (
    <Listing
      result={usePages(dealsQuery())}
      look="my-ads"
      none={{ drawing: 'box', text: t('deals.none') }}
      each={(deal: Deal) => <OneDeal key={deal.id} deal={deal} />}
    />
  );
}

function OneDeal({ deal }: { deal: Deal }): JSX.Element {
  const { ad, other, role } = deal;
  const values = { name: nameOf(other), date: formatDate(deal.at) };
  return (
    <li class="panel">
      <article aria-labelledby={`deal-${deal.id}`}>
        {ad?.thumbnail ? (
          <img class="thumb" src={ad.thumbnail} alt="" width="96" height="72" loading="lazy" />
        ) : (
          <span class="thumb">
            <Icon name="pictures" />
          </span>
        )}
        <div>
          <h2 id={`deal-${deal.id}`} dir="auto">
            {ad ? <a href={`/a/${ad.pk}`}>{deal.title}</a> : deal.title}
          </h2>
          <p>
            <span class="price">{formatMoney(deal.price, currency.value)}</span>
          </p>
          <p class="faint">{t(role === 'seller' ? 'deal.soldTo' : 'deal.boughtFrom', values)}</p>
        </div>
      </article>
      <DealState deal={deal} />
    </li>
  );
}
