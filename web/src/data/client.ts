/** The one client of the service. All tabs share its session. */
import { type AdDetails, AdsvcClient } from 'adsvc-client';
import { answered } from './connection';
import { noticeTerms } from './terms';

export type {
  AccessRule,
  AccessRuleList,
  Account,
  AccountSummary,
  Accounts,
  Ad,
  AdDecision,
  AdDetails,
  AdFacets,
  AdMap,
  AdministeredAds,
  AdministeredSite,
  AdStats,
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
  CreatedTotp,
  CreatedWebhook,
  CreateKey,
  CreateOrUpdateAd,
  CreateReport,
  Deal,
  Deals,
  Decision,
  Decisions,
  Deletion,
  Deletions,
  Deliveries,
  Delivery,
  DeliveryStatus,
  DisabledReason,
  EventType,
  ExpelledContent,
  ExtendedAd,
  Favorite,
  Favorites,
  Growth,
  Identities,
  IdentityProvider,
  IdentityProviders,
  Image,
  Import,
  ImportedRow,
  ImportedRows,
  Imports,
  Job,
  JobList,
  Key,
  Keys,
  MadeDecision,
  MailAttempt,
  MailAttempts,
  MailTexts,
  MailTextsList,
  Maintenance,
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
  Place,
  Preferences,
  PriceType,
  PushBrowser,
  Rating,
  Ratings,
  ReportReason,
  Role,
  SavedSearch,
  SavedSearches,
  Seller,
  Sessions,
  SettingList,
  Site,
  SiteChange,
  SiteChanges,
  SiteInvitations,
  SitePage,
  SitePages,
  SiteSection,
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

export const client = new AdsvcClient({
  baseUrl: location.origin,
  // Pages try again themselves, and show that they do.
  retry: false,
  async fetch(...request) {
    const answer = await fetch(...request);
    answered(answer);
    if (answer.status === 403) void noticeTerms(answer.clone());
    return answer;
  },
});

export async function hasSession(): Promise<boolean> {
  return (await client.tokens()) !== null;
}
