import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { withAccount } from '../account/enterFirst';
import { lazy } from '../app/lazy';
import { type Action, useAction } from '../data/action';
import { type AdDetails, client, type ExtendedAd, type ShownAd } from '../data/client';
import { toFault } from '../data/fault';
import { keptText } from '../data/kept';
import { sellerQuery } from '../data/queries';
import { useQuery } from '../data/query';
import { user } from '../data/session';
import { site } from '../data/site';
import { Disclosure } from '../elements/disclosure';
import { Face, Icon } from '../elements/icon';
import { announceFault, FaultNotice } from '../elements/notice';
import { Price } from '../elements/price';
import { Sheet } from '../elements/sheet';
import { t } from '../i18n';
import { formatDate } from '../i18n/format';

const WriteForm = lazy(() => import('../messages/write').then((module) => module.WriteForm));

/** The seller, and the ways to reach them. */
export function Seller({
  id,
  ad,
  details,
  full,
  fullError,
}: {
  id: number;
  ad: ShownAd;
  details: AdDetails | undefined;
  full: ExtendedAd | undefined;
  fullError: Error | null;
}): JSX.Element {
  const author = details?.author;
  const seller = useQuery({ ...sellerQuery(author?.id ?? 0), enabled: author !== undefined }).data;
  const name = full ? `${full.authorFirstName} ${full.authorLastName}`.trim() : author?.firstName;
  return (
    <section class="seller" aria-labelledby="seller">
      <h2 id="seller">{t('seller.title')}</h2>
      <a class="seller-who" {...(author ? { href: `/seller/${author.id}` } : {})}>
        <Face image={author?.image} name={name || t('seller.unnamed')} size={48} />
        <div>
          <p>
            <strong>{name || t('seller.unnamed')}</strong> {seller && <Verified seller={seller} />}
          </p>
          {author && (
            <p class="faint">
              <SellerFacts seller={{ ...author, ...seller }} />
              <br />
              {t('seller.ads', { count: author.adCount })}
            </p>
          )}
        </div>
        <Icon name="right" />
      </a>
      {/* What was written before the login is there after it. */}
      <Disclosure label={t('seller.write')} look="primary" open={keptText(`ad ${id}`) !== ''}>
        {(close) => <WriteForm ad={id} priceType={ad.priceType} onCancel={close} />}
      </Disclosure>
      {mayHavePhone(full) && <Phone ad={id} />}
      {full?.email.includes('@') && (
        <p>
          {t('seller.email')}: <a href={`mailto:${full.email}`}>{full.email}</a>
        </p>
      )}
      {user.value && fullError && <FaultNotice fault={toFault(fullError)} />}
    </section>
  );
}

/** Without a login, and where the site hides contacts, it is not known before it is read. */
const mayHavePhone = (full: ExtendedAd | undefined): boolean =>
  full?.phone !== '' || site.value?.contact === 'hidden';

/** Since when, and how much was sold. */
export function SellerFacts({ seller }: { seller: { since: number; soldCount?: number } }): JSX.Element {
  return (
    <>
      {t('seller.since', { date: formatDate(seller.since) })}
      {seller.soldCount ? ` · ${t('seller.sold', { count: seller.soldCount })}` : ''}
    </>
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

/** On a phone: price, message and call stay in reach of the thumb. */
export function ContactBar({
  id,
  ad,
  full,
}: {
  id: number;
  ad: ShownAd;
  full: ExtendedAd | undefined;
}): JSX.Element {
  const [writing, setWriting] = useState(false);
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
      <button type="button" class="primary" aria-haspopup="dialog" onClick={() => setWriting(true)}>
        {t('seller.writeShort')}
      </button>
      {writing && (
        <Sheet title={t('seller.write')} onClose={() => setWriting(false)}>
          {(close) => <WriteForm ad={id} priceType={ad.priceType} onCancel={close} />}
        </Sheet>
      )}
    </aside>
  );
}
