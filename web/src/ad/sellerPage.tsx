/** A seller: since when, how much was sold, and all of the seller's ads. */
import type { JSX } from 'preact';
import { lazy } from '../app/lazy';
import { NotFoundPage } from '../app/notFound';
import type { PageProps } from '../app/router';
import { toFault } from '../data/fault';
import { resultsQuery, sellerQuery } from '../data/queries';
import { usePages, useQuery } from '../data/query';
import { AdCard } from '../elements/adCard';
import { Face } from '../elements/icon';
import { Listing } from '../elements/listing';
import { FaultNotice } from '../elements/notice';
import { Page } from '../elements/page';
import { t } from '../i18n';
import { SellerFacts, Verified } from './seller';

const SellerRatings = lazy(() => import('../messages/ratings').then((module) => module.SellerRatings));

export function SellerPage({ parameters }: PageProps): JSX.Element {
  const id = Number(parameters.id);
  if (!Number.isSafeInteger(id) || id < 1) return <NotFoundPage />;
  return <SellerById id={id} />;
}

function SellerById({ id }: { id: number }): JSX.Element {
  const { data: seller, error } = useQuery(sellerQuery(id));
  const ads = usePages(resultsQuery({ author: id }));
  if (error) {
    const fault = toFault(error);
    if (fault.status === 404) return <NotFoundPage />;
    return (
      <Page title={t('problem.title')} narrow>
        <FaultNotice fault={fault} />
      </Page>
    );
  }
  const name = seller?.firstName || t('seller.unnamed');
  const title = seller ? t('seller.page', { name }) : t('seller.title');
  return (
    <Page title={title} heading={false}>
      <header class="panel seller-head">
        <Face image={seller?.image} name={seller ? name : ''} size={72} />
        <div>
          <h1 tabIndex={-1} dir="auto">
            {title}
          </h1>
          {seller && <Verified seller={seller} />}
          {seller ? <SellerFacts seller={seller} /> : <p>{'\u00a0'}</p>}
        </div>
      </header>
      <Listing
        result={ads}
        look="cards"
        none={{ drawing: 'box', text: t('seller.none'), to: { href: '/search', text: t('notFound.search') } }}
        each={(ad) => <AdCard key={ad.pk} ad={ad} />}
      />
      {seller && <SellerRatings id={id} name={name} />}
    </Page>
  );
}
