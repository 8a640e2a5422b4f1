import type { JSX } from 'preact';
import { address, navigate } from '../app/router';
import type { AdDetails, ExtendedAd } from '../data/client';
import { toFault } from '../data/fault';
import { user } from '../data/session';
import { FaultNotice } from '../elements/notice';
import { t } from '../i18n';
import { formatDate } from '../i18n/format';

/** The seller. Only people who have logged in see the contact. */
export function Seller({
  details,
  full,
  fullError,
}: {
  id: number;
  details: AdDetails | undefined;
  full: ExtendedAd | undefined;
  fullError: Error | null;
}): JSX.Element {
  const author = details?.author;
  const name = full ? `${full.authorFirstName} ${full.authorLastName}`.trim() : author?.firstName;
  return (
    <section class="seller" aria-labelledby="seller">
      <h2 id="seller">{t('seller.title')}</h2>
      <div class="seller-who">
        {author?.image && <img class="avatar" src={author.image} alt="" width="48" height="48" />}
        <div>
          <p>
            <strong>{name || t('seller.unnamed')}</strong>
          </p>
          {author && (
            <p class="faint">
              {t('seller.since', { date: formatDate(author.since) })} ·{' '}
              <a href={`/search?author=${author.id}`}>{t('seller.ads', { count: author.adCount })}</a>
            </p>
          )}
        </div>
      </div>
      <Contact {...{ full, fullError }} />
    </section>
  );
}

function Contact({
  full,
  fullError,
}: {
  full: ExtendedAd | undefined;
  fullError: Error | null;
}): JSX.Element | null {
  if (full) {
    return (
      <dl class="contact">
        <div>
          <dt>{t('seller.email')}</dt>
          <dd>{full.email.includes('@') ? <a href={`mailto:${full.email}`}>{full.email}</a> : full.email}</dd>
        </div>
        {full.phone && (
          <div>
            <dt>{t('seller.phone')}</dt>
            <dd>
              <a href={`tel:${full.phone.replace(/[^+\d]/g, '')}`}>{full.phone}</a>
            </dd>
          </div>
        )}
      </dl>
    );
  }
  if (user.value === null) {
    const next = encodeURIComponent(address.value.pathname);
    return (
      <p>
        {t('seller.hidden')}{' '}
        <a
          href={`/account/login?next=${next}`}
          onClick={(event) => {
            event.preventDefault();
            navigate(`/account/login?next=${next}`);
          }}
        >
          {t('seller.show')}
        </a>
      </p>
    );
  }
  if (fullError) return <FaultNotice fault={toFault(fullError)} />;
  return <p class="faint">{t('loading')}</p>;
}
