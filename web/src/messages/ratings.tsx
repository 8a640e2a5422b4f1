/** What others say of a seller, on the seller's page. */
import type { JSX } from 'preact';
import { usePages } from '../data/query';
import { Listing } from '../elements/listing';
import { t } from '../i18n';
import { OneRating } from './deal';
import { ratingsQuery } from './queries';

export function SellerRatings({ id, name }: { id: number; name: string }): JSX.Element {
  const result = usePages(ratingsQuery(id));
  const none = t('rating.none');
  if (result.data?.pages[0]?.results.length === 0) return <p class="ratings faint">{none}</p>;
  return (
    <section class="ratings" aria-labelledby="ratings">
      <h2 id="ratings">{t('rating.title')}</h2>
      <Listing
        result={result}
        look="plain-list"
        none={none}
        each={(rating) => (
          <li key={rating.id}>
            <OneRating rating={rating} of={name} />
          </li>
        )}
      />
    </section>
  );
}
