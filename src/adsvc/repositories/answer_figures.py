"""How fast and how often sellers answer, from their conversations."""

from adsvc.kit.db.statements import Statements

# Conversations that began in so many days count.
DAYS = 90
# Of fewer there are no figures.
FEWEST = 5
# An answer within a day counts for the rate.
DAY = "interval '24 hours'"

# Any message of the seller is an answer: a text, an offer, a step of an offer. Of what is held the
# seller sees nothing. Accounts whose figures have changed are noted: cached responses have them.
RENEW = f"""
    WITH begun AS (
        SELECT seller_id, first.at, (
            SELECT at FROM messages
            WHERE conversation_id = conversations.id AND by = 'seller' AND id > first.id
            ORDER BY id LIMIT 1
        ) AS answered_at
        FROM conversations CROSS JOIN LATERAL (
            SELECT id, at FROM messages
            WHERE conversation_id = conversations.id AND by = 'buyer' AND NOT held
            ORDER BY id LIMIT 1
        ) AS first
        WHERE updated_at > now() - interval '{DAYS} days'
            AND created_at > now() - interval '{DAYS} days' AND seller_id IS NOT NULL
    ), counted AS (
        SELECT seller_id, count(answered_at) AS answered,
            percentile_cont(0.5) WITHIN GROUP (
                ORDER BY extract(epoch FROM answered_at - at) / 60
            ) FILTER (WHERE answered_at IS NOT NULL) AS median,
            count(*) FILTER (WHERE at < now() - {DAY}) AS due,
            count(*) FILTER (WHERE at < now() - {DAY} AND answered_at <= at + {DAY}) AS in_time
        FROM begun GROUP BY seller_id
    ), figures AS MATERIALIZED (
        SELECT seller_id, CASE WHEN answered >= {FEWEST} THEN round(median)::int END AS minutes,
            CASE WHEN due >= {FEWEST} THEN round(in_time::numeric / due, 2) END AS rate
        FROM counted WHERE answered >= {FEWEST} OR due >= {FEWEST}
    ), ended AS (
        DELETE FROM answer_figures WHERE user_id NOT IN (SELECT seller_id FROM figures)
        RETURNING user_id
    ), renewed AS (
        INSERT INTO answer_figures AS known (user_id, minutes, rate)
        SELECT seller_id, minutes, rate FROM figures ORDER BY seller_id
        ON CONFLICT (user_id) DO UPDATE SET minutes = excluded.minutes, rate = excluded.rate
            WHERE (known.minutes, known.rate) IS DISTINCT FROM (excluded.minutes, excluded.rate)
        RETURNING user_id
    ), changed AS (SELECT user_id FROM ended UNION ALL SELECT user_id FROM renewed)
    SELECT count(*)::int AS done, note_changes('user', array_agg(user_id::text)) FROM changed
    HAVING count(*) > 0
"""  # noqa: S608 - no input


async def renew(db: Statements) -> int:
    """Returns for how many accounts the figures have changed."""
    row = await db.fetchrow(RENEW)
    return 0 if row is None else int(row["done"])
