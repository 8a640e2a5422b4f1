/** What most likely helps an ad that is shown. */
import type { Ad } from '../data/client';

export type NextStep = 'renew' | 'pictures' | 'price' | 'title';

const DAY = 86_400_000;
/** From then on the figures say something. */
const OLD = 7 * DAY;
const SOON = 3 * DAY;
const MANY_SAVES = 3;
const MANY_VIEWS = 20;
const FEW_VIEWS = 5;

export function nextStep(ad: Ad, now = Date.now()): NextStep | null {
  if (ad.status !== 'active') return null;
  const { favoriteCount = 0, viewCount = 0, conversationCount = 0, expiresAt } = ad;
  const isOld = now - ad.createdAt >= OLD;
  const isLiked = favoriteCount >= MANY_SAVES || (isOld && viewCount >= MANY_VIEWS);
  const isPriced = ad.priceType === 'fixed' || ad.priceType === 'negotiable';
  if (expiresAt && expiresAt - now < SOON) return 'renew';
  if (ad.imageCount < 2) return 'pictures';
  if (isPriced && isLiked && conversationCount === 0) return 'price';
  return isOld && viewCount < FEW_VIEWS ? 'title' : null;
}
