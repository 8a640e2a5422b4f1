import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { withAccount } from '../account/enterFirst';
import { lazy } from '../app/lazy';
import { type Action, useAction } from '../data/action';
import {
  type AdDetails,
  client,
  type ExtendedAd,
  type Seller as SellerRecord,
  type ShownAd,
} from '../data/client';
import { toFault } from '../data/fault';
import { sellerQuery } from '../data/queries';
import { useQuery } from '../data/query';
import { user } from '../data/session';
import { has, site } from '../data/site';
import { Face, Icon } from '../elements/icon';
import { announceFault, FaultNotice } from '../elements/notice';
import { Price } from '../elements/price';
import { Sheet } from '../elements/sheet';
import { t } from '../i18n';
import { formatDate, formatDuration, formatNumber, formatPart } from '../i18n/format';

const WriteForm = lazy(() => import('../messages/write').then((module) => module.WriteForm));

/** The seller, and the ways to reach them. */
export function Seller({
  id,
  ad,
  details,
  full,
  fullError,
  onWrite,
}: {
  id: number;
  ad: ShownAd;
  details: AdDetails | undefined;
  full: ExtendedAd | undefined;
  fullError: Error | null;
  onWrite: (what: 'message' | 'offer') => void;
}): JSX.Element {
  const author = details?.author;
  const seller = useQuery({ ...sellerQuery(author?.id ?? 0), enabled: author !== undefined }).data;
  // The surname and the user name, which is often a mail address, are nobody's business here.
  const name = author?.firstName ?? full?.authorFirstName;
  return (
    <section class="panel seller" aria-labelledby="seller">
      <h2 id="seller">{t('seller.title')}</h2>
      <a class="media seller-who" {...(author ? { href: `/seller/${author.id}` } : {})}>
        <Face image={author?.image} name={name || t('seller.unnamed')} size={56} />
        <div>
          <p>
            <strong dir="auto">{name || t('seller.unnamed')}</strong>
            {seller && <Verified seller={seller} />}
          </p>
          {author && <p class="faint">{t('seller.ads', { count: author.adCount })}</p>}
        </div>
        <Icon name="right" />
      </a>
      {author && <SellerFacts seller={{ ...author, ...seller }} />}
      {has('conversations') && (
        <button type="button" class="primary" aria-haspopup="dialog" onClick={() => onWrite('message')}>
          {t('seller.write')}
        </button>
      )}
      {has('conversations') && has('offers') && ad.priceType === 'negotiable' && ad.status === 'active' && (
        <button type="button" aria-haspopup="dialog" onClick={() => onWrite('offer')}>
          {t('offer.start')}
        </button>
      )}
      {mayHavePhone(full) && <Phone ad={id} />}
      {user.value && fullError && <FaultNotice fault={toFault(fullError)} />}
    </section>
  );
}

/** Without a login, and where the site hides contacts, it is not known before it is read. */
const mayHavePhone = (full: ExtendedAd | undefined): boolean =>
  has('phone') && (full?.phone !== '' || site.value?.contact === 'hidden');

type Facts = Pick<SellerRecord, 'since' | 'rating' | 'answerMinutes' | 'answerRate'> &
  Partial<Pick<SellerRecord, 'soldCount'>>;

/** What buyers say, how soon an answer comes, since when, and how much was sold. */
export function SellerFacts({ seller }: { seller: Facts }): JSX.Element {
  const { rating, answerMinutes, answerRate, soldCount } = seller;
  return (
    <ul class="seller-facts">
      {rating && (
        <li class="stars">
          <Icon name="star" size={16} />
          {t('seller.rating', { stars: formatNumber(rating.average), count: rating.count })}
        </li>
      )}
      {answerMinutes !== null && (
        <li>
          <Icon name="talk" size={16} />
          {t('seller.answers', { time: formatDuration(answerMinutes) })}
          {answerRate !== null && <> · {t('seller.answerRate', { part: formatPart(answerRate) })}</>}
        </li>
      )}
      <li>
        <Icon name="clock" size={16} />
        {t('seller.since', { date: formatDate(seller.since) })}
        {soldCount ? ` · ${t('seller.sold', { count: soldCount })}` : ''}
      </li>
    </ul>
  );
}

export function Verified({ seller }: { seller: { verified: boolean } }): JSX.Element | null {
  return seller.verified ? <span class="badge verified">{t('seller.verified')}</span> : null;
}

/** Each reading is counted and written down, so the number is there by a press alone. */
function usePhone(ad: number): { phone: string | null; action: Action<[]>; read: () => void } {
  const [phone, setPhone] = useState<string | null>(null);
  const action = useAction(
    async () => {
      try {
        setPhone((await client.readPhone(ad)).phone);
      } catch (error) {
        if (toFault(error).slug !== 'not-found') throw error;
        setPhone('');
      }
    },
    { repeatable: true },
  );
  const read = (): void => void withAccount(action.run);
  return { phone: user.value ? phone : null, action, read };
}

const dial = (phone: string): string => `tel:${phone.replace(/[^+\d]/g, '')}`;

function Phone({ ad }: { ad: number }): JSX.Element {
  const { phone, action, read } = usePhone(ad);
  if (phone === '') return <p class="faint">{t('seller.noPhone')}</p>;
  if (phone) {
    return (
      <p role="status">
        {t('seller.phone')}: <a href={dial(phone)}>{phone}</a>
      </p>
    );
  }
  return (
    <>
      <FaultNotice fault={action.fault} limited={action.limited} />
      <button type="button" disabled={action.busy || action.limited !== null} onClick={read}>
        {t('seller.showPhone')}
      </button>
    </>
  );
}

/** One sheet for all buttons that write. What was written before the login is there after it. */
export function WriteSheet({
  ad,
  priceType,
  offers,
  onClose,
}: {
  ad: number;
  priceType: ShownAd['priceType'];
  /** Whether a price is written with it. */
  offers: boolean;
  onClose: () => void;
}): JSX.Element {
  return (
    <Sheet title={t(offers ? 'offer.start' : 'seller.write')} onClose={onClose}>
      {(close) => <WriteForm {...{ ad, priceType, offers }} onCancel={close} />}
    </Sheet>
  );
}

/** On a phone: price, message and call stay in reach of the thumb. */
export function ContactBar({
  id,
  ad,
  full,
  onWrite,
}: {
  id: number;
  ad: ShownAd;
  full: ExtendedAd | undefined;
  onWrite: () => void;
}): JSX.Element {
  const { phone, action, read } = usePhone(id);
  const refused = action.fault ?? null;
  useEffect(() => {
    if (refused) announceFault(refused);
  }, [refused]);
  return (
    <aside class="contact-bar" aria-label={t('seller.contact')}>
      <strong class="price">
        <Price of={ad} free="free" />
      </strong>
      {phone && (
        <a class="button" href={dial(phone)}>
          {phone}
        </a>
      )}
      {phone === null && mayHavePhone(full) && (
        <button type="button" disabled={action.busy || action.limited !== null} onClick={read}>
          {t('seller.call')}
        </button>
      )}
      {has('conversations') && (
        <button type="button" class="primary" aria-haspopup="dialog" onClick={onWrite}>
          {t('seller.writeShort')}
        </button>
      )}
    </aside>
  );
}
