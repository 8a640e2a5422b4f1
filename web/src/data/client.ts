/** The one client of the service, and where its session is kept. */
import { type AdDetails, AdsvcClient, type TokenStore, type Tokens } from 'adsvc-client';
import { del, get, set } from 'idb-keyval';

export type {
  AccountSummary,
  Accounts,
  Ad,
  AdDetails,
  AdFacets,
  AdStatus as Status,
  Ads,
  Case,
  CaseStatus,
  CaseSummary,
  Cases,
  Category,
  CategoryAttribute,
  CategoryDefinition,
  Comment,
  Comments,
  CreatedKey,
  CreateKey,
  CreateOrUpdateAd,
  CreateReport,
  Decision,
  Decisions,
  ExtendedAd,
  Favorite,
  Favorites,
  Image,
  Key,
  Keys,
  MadeDecision,
  MakeDecision,
  Notification,
  Notifications,
  Preferences,
  PriceType,
  ReportReason,
  SavedSearch,
  SavedSearches,
  Sessions,
  Site,
  Snapshot,
  Sort,
  Statement,
  User,
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
});

export async function hasSession(): Promise<boolean> {
  return (await tokens.get()) !== null;
}
