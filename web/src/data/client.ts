/** The one client of the service, and where its session is kept. */
import { type AdDetails, AdsvcClient, type TokenStore, type Tokens } from 'adsvc-client';
import { del, get, set } from 'idb-keyval';
import { answered } from './connection';

export type {
  Account,
  AccountSummary,
  Accounts,
  Ad,
  AdDecision,
  AdDetails,
  AdFacets,
  AdMap,
  AdministeredAds,
  AdStatus as Status,
  Ads,
  AuditEvent,
  AuditEvents,
  AuditKind,
  Block,
  Blocks,
  Case,
  CaseStatus,
  CaseSummary,
  Cases,
  Category,
  CategoryAttribute,
  CategoryDefinition,
  Comment,
  Comments,
  Conversation,
  Conversations,
  CreatedKey,
  CreatedWebhook,
  CreateKey,
  CreateOrUpdateAd,
  CreateReport,
  Decision,
  Decisions,
  Deliveries,
  Delivery,
  DeliveryStatus,
  EventType,
  ExtendedAd,
  Favorite,
  Favorites,
  Growth,
  Image,
  Job,
  JobList,
  Key,
  Keys,
  MadeDecision,
  MakeDecision,
  MapCell,
  Message,
  Messages,
  Notification,
  Notifications,
  Offer,
  OutboxEntries,
  OutboxEntry,
  Overview,
  OwnAds,
  Passkey,
  Passkeys,
  Preferences,
  PriceType,
  ReportReason,
  Role,
  SavedSearch,
  SavedSearches,
  Seller,
  Sessions,
  SettingList,
  Site,
  Snapshot,
  Sort,
  Statement,
  Suggestion,
  User,
  Webhook,
  Webhooks,
} from 'adsvc-client';

/** The members that `AdDetails` and `ExtendedAd` have in common. */
export type ShownAd = Omit<AdDetails, 'author'>;

/** All values of an enumeration, in this order: the compiler reports one that is missing. */
export function valuesOf<Value extends string>(values: Record<Value, true>): readonly Value[] {
  return Object.keys(values) as Value[];
}

const KEY = 'session';

let inMemory: Tokens | null = null;
let broken = false;

/**
 * In IndexedDB, which scripts of this origin alone can open. All tabs of the origin share it, and `shared`
 * makes them refresh one at a time. Where it cannot be opened, a session lasts as long as the page.
 */
const tokens: TokenStore = {
  shared: 'adsvc',
  async get() {
    if (broken) return inMemory;
    try {
      return (await get<Tokens>(KEY)) ?? null;
    } catch {
      broken = true;
      return inMemory;
    }
  },
  async set(next) {
    inMemory = next;
    if (broken) return;
    try {
      await (next === null ? del(KEY) : set(KEY, next));
    } catch {
      broken = true;
    }
  },
};

export const client = new AdsvcClient({
  baseUrl: location.origin,
  tokens,
  // Pages try again themselves, and show that they do.
  retry: false,
  async fetch(...request) {
    const answer = await fetch(...request);
    answered(answer);
    return answer;
  },
});

export async function hasSession(): Promise<boolean> {
  return (await tokens.get()) !== null;
}
