-- The schema after the last migration. Made by `make format`; never run.
CREATE TABLE ads (
    id bigint NOT NULL,
    author_id bigint NOT NULL,
    title text NOT NULL,
    description text NOT NULL,
    price integer NOT NULL,
    image text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    title_search tsvector NOT NULL,
    search tsvector NOT NULL,
    status text DEFAULT 'active'::text NOT NULL,
    expires_at timestamp(3) with time zone,
    sold_at timestamp(3) with time zone,
    place text,
    latitude double precision,
    longitude double precision,
    public_latitude double precision,
    public_longitude double precision,
    price_type text DEFAULT 'fixed'::text NOT NULL,
    thumbnail text,
    image_count integer DEFAULT 1 NOT NULL,
    category_id bigint,
    attributes jsonb DEFAULT '{}'::jsonb NOT NULL,
    attribute_words text DEFAULT ''::text NOT NULL,
    hidden_from text,
    hidden_with_author boolean DEFAULT false NOT NULL,
    price_before integer,
    priced_at timestamp(3) with time zone,
    is_priced boolean DEFAULT true NOT NULL,
    place_id bigint,
    external_id text,
    CONSTRAINT ck_ads_location CHECK (((num_nulls(latitude, longitude) = ANY (ARRAY[0, 2])) AND (num_nulls(public_latitude, public_longitude) = ANY (ARRAY[0, 2])) AND ((latitude IS NULL) OR (public_latitude IS NOT NULL)))),
    CONSTRAINT ck_ads_price_type CHECK ((price_type = ANY (ARRAY['fixed'::text, 'negotiable'::text, 'free'::text, 'onRequest'::text]))),
    CONSTRAINT ck_ads_status CHECK ((status = ANY (ARRAY['draft'::text, 'active'::text, 'reserved'::text, 'sold'::text, 'withdrawn'::text, 'expired'::text, 'suspended'::text, 'removed'::text])))
)
WITH (toast_tuple_target='4080');

CREATE FUNCTION ad_index_terms(ad ads) RETURNS text[]
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $_$
DECLARE
    terms text[] := '{}';
    name text;
    value jsonb;
    content text;
BEGIN
    IF ad.category_id IS NOT NULL THEN
        terms := terms || ('@' || ad.category_id);
    END IF;
    IF ad.price_type <> 'fixed' THEN
        terms := terms || ('%' || ad.price_type);
    END IF;
    IF ad.category_id IS NOT NULL OR ad.attributes <> '{}' THEN
        terms := terms || number_terms_array('$', ad.price);
    END IF;
    FOR name, value, content IN
        SELECT '=' || given.key, given.value, given.value #>> '{}'
        FROM jsonb_each(ad.attributes) AS given
    LOOP
        CASE jsonb_typeof(value)
        WHEN 'number' THEN
            terms := terms || number_terms_array(name, content::numeric);
        WHEN 'string', 'boolean' THEN
            terms := terms || (name || '=' || left(content, 64));
            IF content ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' THEN
                terms := terms || number_terms_array(
                    name,
                    (left(content, 4)::int - 2000) * 372 + substr(content, 6, 2)::int * 31
                        + right(content, 2)::int
                );
            END IF;
        ELSE
        END CASE;
    END LOOP;
    RETURN terms;
END $_$;

CREATE FUNCTION ad_text(ad ads) RETURNS text
    LANGUAGE sql STABLE
    AS $$
    SELECT concat_ws(
        ', ', concat_ws(' ', (ad).title, (ad).description, (ad).attribute_words),
        (SELECT words FROM category_words WHERE category_id = (ad).category_id)
    )
$$;

CREATE FUNCTION ad_title(ad ads) RETURNS text
    LANGUAGE sql STABLE
    AS $$
    SELECT concat_ws(
        ', ', (ad).title, (SELECT names FROM category_words WHERE category_id = (ad).category_id)
    )
$$;

CREATE FUNCTION ad_words(words text) RETURNS tsvector
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    AS $$
DECLARE
    normal text := normal_words(words);
    plain text := plain_words(normal);
    more text := more_words(left(normal, 10000));
    found tsvector := setweight(
        to_tsvector('simple', plain) || to_tsvector('adsvc'::text::regconfig, plain), 'A'
    );
BEGIN
    IF more <> '' THEN
        found := found || to_tsvector('simple', more)
            || to_tsvector('adsvc'::text::regconfig, more);
    END IF;
    RETURN found;
END $$;

CREATE FUNCTION add_ad_images() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO ad_images (ad_id, position, name)
    SELECT id, 0, image FROM new_rows WHERE thumbnail IS NULL;
    RETURN NULL;
END $$;

CREATE FUNCTION collect_category_words(category bigint, OUT names text, OUT words text) RETURNS record
    LANGUAGE sql STABLE
    AS $$
    WITH RECURSIVE above AS (
        SELECT category AS id
        UNION
        SELECT parent_id FROM above JOIN categories USING (id) WHERE parent_id IS NOT NULL
    )
    SELECT coalesce(string_agg(DISTINCT word, ' ' ORDER BY word)
            FILTER (WHERE id = category AND is_name), ''),
        coalesce(string_agg(DISTINCT word, ' ' ORDER BY word), '')
    FROM above JOIN categories USING (id) CROSS JOIN LATERAL (
        SELECT name, true
        UNION ALL
        SELECT value, true FROM jsonb_each_text(categories.names)
        UNION ALL
        SELECT jsonb_array_elements_text(value), false FROM jsonb_each(synonyms)
    ) AS given (word, is_name)
$$;

CREATE FUNCTION count_changed_text_of_ads() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO text_totals (owner_id, bytes) VALUES (NEW.author_id, (coalesce(octet_length(NEW.title), 0) + coalesce(octet_length(NEW.description), 0) + coalesce(octet_length(NEW.place), 0) + coalesce(octet_length(NEW.attributes::text), 0)) - (coalesce(octet_length(OLD.title), 0) + coalesce(octet_length(OLD.description), 0) + coalesce(octet_length(OLD.place), 0) + coalesce(octet_length(OLD.attributes::text), 0)));
    RETURN NULL;
END $$;

CREATE FUNCTION count_changed_text_of_comments() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO text_totals (owner_id, bytes) VALUES (NEW.author_id, (coalesce(octet_length(NEW.text), 0)) - (coalesce(octet_length(OLD.text), 0)));
    RETURN NULL;
END $$;

CREATE FUNCTION count_changed_text_of_messages() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO text_totals (owner_id, bytes) VALUES (NEW.author_id, (coalesce(octet_length(NEW.text), 0)) - (coalesce(octet_length(OLD.text), 0)));
    RETURN NULL;
END $$;

CREATE FUNCTION count_favorites() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO favorite_totals AS total (ad_id, favorites)
        SELECT ad_id, count(*) FROM changed GROUP BY ad_id ORDER BY ad_id
        ON CONFLICT (ad_id) DO UPDATE SET favorites = total.favorites + excluded.favorites;
    ELSE
        INSERT INTO favorite_totals AS total (ad_id, favorites)
        SELECT ad_id, -count(*) FROM changed GROUP BY ad_id ORDER BY ad_id
        ON CONFLICT (ad_id) DO UPDATE SET favorites = total.favorites + excluded.favorites;
        DELETE FROM favorite_totals
        WHERE favorites <= 0 AND ad_id IN (SELECT ad_id FROM changed);
    END IF;
    RETURN NULL;
END $$;

CREATE FUNCTION count_text_of_ads() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO text_totals (owner_id, bytes)
    SELECT t.author_id, CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END * sum(coalesce(octet_length(t.title), 0) + coalesce(octet_length(t.description), 0) + coalesce(octet_length(t.place), 0) + coalesce(octet_length(t.attributes::text), 0))
    FROM changed AS t
    -- The cascades of an account's deletion come after `forget_text`, and add nothing.
    WHERE EXISTS (SELECT FROM users WHERE users.id = t.author_id) GROUP BY t.author_id;
    RETURN NULL;
END $$;

CREATE FUNCTION count_text_of_comments() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO text_totals (owner_id, bytes)
    SELECT t.author_id, CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END * sum(coalesce(octet_length(t.text), 0))
    FROM changed AS t
    -- The cascades of an account's deletion come after `forget_text`, and add nothing.
    WHERE EXISTS (SELECT FROM users WHERE users.id = t.author_id) GROUP BY t.author_id;
    RETURN NULL;
END $$;

CREATE FUNCTION count_text_of_messages() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO text_totals (owner_id, bytes)
    SELECT t.author_id, CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END * sum(coalesce(octet_length(t.text), 0))
    FROM changed AS t
    -- The cascades of an account's deletion come after `forget_text`, and add nothing.
    WHERE EXISTS (SELECT FROM users WHERE users.id = t.author_id) GROUP BY t.author_id;
    RETURN NULL;
END $$;

CREATE FUNCTION count_text_of_removed_comments() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO text_totals (owner_id, bytes)
    SELECT t.author_id, CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END * sum(coalesce(octet_length(t.text), 0))
    FROM changed AS t
    -- The cascades of an account's deletion come after `forget_text`, and add nothing.
    WHERE EXISTS (SELECT FROM users WHERE users.id = t.author_id) GROUP BY t.author_id;
    RETURN NULL;
END $$;

CREATE FUNCTION count_text_of_reports() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO text_totals (owner_id, bytes)
    SELECT t.reporter_id, CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END * sum(coalesce(octet_length(t.text), 0))
    FROM changed AS t
    -- The cascades of an account's deletion come after `forget_text`, and add nothing.
    WHERE EXISTS (SELECT FROM users WHERE users.id = t.reporter_id) GROUP BY t.reporter_id;
    RETURN NULL;
END $$;

CREATE FUNCTION drop_thumbnail() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    NEW.thumbnail := NULL;
    RETURN NEW;
END $$;

CREATE FUNCTION folded(normal text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
    SELECT replace(replace(replace(replace(translate(
        normalize(regexp_replace(normalize(normal, NFKD), '[\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u064b-\u065f\u0670\u1ab0-\u1abd\u1dc0-\u1dff\u20d0-\u20dc\ufe20-\ufe2f]+', '', 'g'), NFC),
        'łøđıς', 'lodiσ'
    ), 'æ', 'ae'), 'œ', 'oe'), 'ß', 'ss'), 'þ', 'th')
$$;

CREATE FUNCTION forget_text() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    DELETE FROM text_totals USING gone WHERE owner_id = gone.id;
    RETURN NULL;
END $$;

CREATE FUNCTION hide_with_author() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
    until timestamptz;
BEGIN
    SELECT suspended_until INTO until FROM users WHERE id = NEW.author_id FOR KEY SHARE;
    IF until > now() THEN
        NEW.hidden_from := NEW.status;
        NEW.status := 'suspended';
        NEW.hidden_with_author := true;
    END IF;
    RETURN NEW;
END $$;

CREATE FUNCTION hold_repeated_text() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
    receiver bigint := (SELECT seller_id FROM conversations WHERE id = NEW.conversation_id);
BEGIN
    PERFORM pg_advisory_xact_lock(534802456, (NEW.author_id % 2147483647)::int);
    NEW.held := 10 <= (
        SELECT count(DISTINCT seller_id) FROM messages
        JOIN conversations ON conversations.id = conversation_id
        WHERE author_id = NEW.author_id AND digest = NEW.digest
            AND at > now() - interval '24 hours' AND seller_id <> receiver
    );
    RETURN NEW;
END $$;

CREATE FUNCTION index_ad() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
    names tsvector;
    words tsvector;
BEGIN
    IF NEW.status NOT IN ('active', 'reserved') THEN
        NEW.title_search := '';
        NEW.search := '';
    ELSIF TG_OP = 'UPDATE' AND OLD.status IN ('active', 'reserved')
        AND (NEW.title, NEW.description, NEW.attribute_words, NEW.category_id)
            IS NOT DISTINCT FROM (OLD.title, OLD.description, OLD.attribute_words, OLD.category_id)
    THEN
        NEW.search := ts_delete(OLD.search, ad_index_terms(OLD))
            || array_to_tsvector(ad_index_terms(NEW));
    ELSE
        SELECT names_search, words_search INTO names, words
        FROM category_words WHERE category_id = NEW.category_id;
        NEW.title_search := ad_words(NEW.title) || coalesce(names, '');
        NEW.search := ad_words(NEW.title || ' ' || NEW.description || ' ' || NEW.attribute_words)
            || coalesce(words, '') || array_to_tsvector(ad_index_terms(NEW));
    END IF;
    RETURN NEW;
END $$;

CREATE FUNCTION index_category() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO category_words AS known (category_id, names, words)
    WITH RECURSIVE branch AS (
        SELECT NEW.id AS id
        UNION
        SELECT categories.id FROM branch JOIN categories ON parent_id = branch.id
    )
    SELECT id, made.* FROM branch, collect_category_words(id) AS made
    ON CONFLICT (category_id) DO UPDATE SET names = excluded.names, words = excluded.words,
        changed_by = excluded.changed_by, reworded = 0
    WHERE (known.names, known.words) <> (excluded.names, excluded.words);
    RETURN NULL;
END $$;

CREATE FUNCTION index_category_words() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    NEW.names_search := ad_words(NEW.names);
    NEW.words_search := ad_words(NEW.words);
    RETURN NEW;
END $$;

CREATE FUNCTION keep_ad_totals() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
    step integer := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
    INSERT INTO ad_totals AS t (slot, ads)
    SELECT pg_backend_pid() % 16, step * count(*) FROM changed
    WHERE status IN ('active', 'reserved') HAVING count(*) > 0
    ON CONFLICT (slot) DO UPDATE SET ads = t.ads + excluded.ads;
    -- An author who is being deleted takes the row along; ordering prevents deadlocks.
    INSERT INTO author_ad_totals AS t (author_id, ads, hidden)
    SELECT author_id, step * count(*) FILTER (WHERE status IN ('active', 'reserved')), step * count(*) FILTER (WHERE NOT (status IN ('active', 'reserved'))) FROM changed
    WHERE EXISTS (SELECT FROM users WHERE users.id = author_id)
    GROUP BY author_id ORDER BY author_id
    ON CONFLICT (author_id) DO UPDATE SET ads = t.ads + excluded.ads, hidden = t.hidden + excluded.hidden;
    RETURN NULL;
END $$;

CREATE FUNCTION keep_ad_totals_of_status() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
    step integer := CASE WHEN NEW.status IN ('active', 'reserved') THEN 1 ELSE -1 END;
BEGIN
    INSERT INTO ad_totals AS t (slot, ads) VALUES (pg_backend_pid() % 16, step)
    ON CONFLICT (slot) DO UPDATE SET ads = t.ads + excluded.ads;
    UPDATE author_ad_totals SET ads = ads + step, hidden = hidden - step
    WHERE author_id = NEW.author_id;
    RETURN NULL;
END $$;

CREATE FUNCTION keep_category_ad_totals() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
    step integer := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
    INSERT INTO category_ad_totals AS t (category_id, slot, ads)
    SELECT category_id, pg_backend_pid() % 16, step * count(*) FROM changed
    WHERE category_id IS NOT NULL AND status IN ('active', 'reserved')
    GROUP BY category_id ORDER BY category_id
    ON CONFLICT (category_id, slot) DO UPDATE SET ads = t.ads + excluded.ads;
    RETURN NULL;
END $$;

CREATE FUNCTION keep_changed_ad() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF EXISTS (SELECT FROM saved_queries) THEN
        INSERT INTO changed_ads (
            ad_id, words, status, is_shown, author_id, created_at, price, price_type, category_id,
            attributes, public_latitude, public_longitude
        ) VALUES (
            OLD.id, ad_text(OLD), OLD.status,
            coalesce(OLD.expires_at > now(), true), OLD.author_id, OLD.created_at, OLD.price,
            OLD.price_type, OLD.category_id, OLD.attributes, OLD.public_latitude,
            OLD.public_longitude
        );
    END IF;
    RETURN NULL;
END $$;

CREATE FUNCTION keep_comment_totals() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
    step integer := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
    -- An ad that is being deleted takes the row along; ordering prevents deadlocks.
    INSERT INTO ad_comment_totals AS t (ad_id, comments)
    SELECT ad_id, step * count(*) FROM changed
    WHERE EXISTS (SELECT FROM ads WHERE ads.id = ad_id)
    GROUP BY ad_id ORDER BY ad_id
    ON CONFLICT (ad_id) DO UPDATE SET comments = t.comments + excluded.comments;
    RETURN NULL;
END $$;

CREATE FUNCTION keep_image_totals() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO image_totals AS t (owner_id, bytes)
        SELECT owner_id, sum(bytes) FROM changed GROUP BY owner_id ORDER BY owner_id
        ON CONFLICT (owner_id) DO UPDATE SET bytes = t.bytes + excluded.bytes;
    ELSE
        -- An account that is being deleted takes its row along.
        UPDATE image_totals t SET bytes = t.bytes - c.bytes
        FROM (SELECT owner_id, sum(bytes) AS bytes FROM changed GROUP BY owner_id) c
        WHERE t.owner_id = c.owner_id;
    END IF;
    RETURN NULL;
END $$;

CREATE FUNCTION keep_price_before() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF OLD.priced_at <= now() - interval '30 days' THEN
        NEW.price_before := NULL;
    END IF;
    IF OLD.price_type <> 'onRequest' THEN
        NEW.price_before := least(OLD.price, NEW.price_before);
        NEW.priced_at := now();
    END IF;
    RETURN NEW;
END $$;

CREATE FUNCTION log_comments_delete() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    -- Those that go with their ad are part of its deletion.
    INSERT INTO changes (type, ad_id, user_id, data)
    SELECT 'comment.deleted', ad_id, author_id, jsonb_build_object('comment', id) FROM old_rows
    WHERE EXISTS (SELECT FROM ads WHERE ads.id = ad_id) ORDER BY id;
    RETURN NULL;
END $$;

CREATE FUNCTION log_comments_insert() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO changes (type, ad_id, user_id, data)
    SELECT 'comment.created', ad_id, author_id, jsonb_build_object('comment', id)
    FROM new_rows ORDER BY id;
    RETURN NULL;
END $$;

CREATE FUNCTION log_decisions_insert() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO changes (type, ad_id, user_id, data)
    SELECT 'decision.made', ad_id, user_id,
        jsonb_build_object('case', case_id, 'decision', new_rows.id, 'action', action)
    FROM new_rows LEFT JOIN cases ON cases.id = case_id ORDER BY new_rows.id;
    RETURN NULL;
END $$;

CREATE FUNCTION log_messages() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO changes (type, ad_id, user_id, data)
    SELECT CASE
            WHEN m.kind = 'offer' THEN 'offer.made'
            WHEN m.kind = 'notice' AND m.text = 'accepted' THEN 'offer.accepted'
            ELSE 'message.sent'
        END, c.ad_id, m.author_id, jsonb_strip_nulls(jsonb_build_object(
            'conversation', c.id, 'message', m.id, 'offer', m.offer_id, 'price', o.price,
            'to', CASE m.by WHEN 'buyer' THEN c.seller_id ELSE c.buyer_id END
        ))
    FROM new_rows AS m JOIN conversations AS c ON c.id = m.conversation_id
    LEFT JOIN offers AS o ON o.id = m.offer_id AND m.kind = 'offer'
    WHERE NOT m.held  ORDER BY m.id;
    RETURN NULL;
END $$;

CREATE FUNCTION log_ratings_insert() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO changes (type, ad_id, user_id, data)
    SELECT 'rating.created', ad_id, author_id,
        jsonb_build_object('rating', new_rows.id, 'deal', deal_id)
    FROM new_rows JOIN deals ON deals.id = deal_id ORDER BY new_rows.id;
    RETURN NULL;
END $$;

CREATE FUNCTION log_ratings_update() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM note_changes('user', array_agg(DISTINCT n.rated_id::text))
    FROM old_rows AS o JOIN new_rows AS n USING (id)
    WHERE n.rated_id IS NOT NULL
        AND (o.shown_at, o.removed) IS DISTINCT FROM (n.shown_at, n.removed)
    HAVING count(*) > 0;
    INSERT INTO changes (type, ad_id, user_id, data)
    SELECT 'rating.shown', ad_id, n.author_id,
        jsonb_build_object('rating', n.id, 'deal', n.deal_id)
    FROM old_rows AS o JOIN new_rows AS n USING (id) JOIN deals ON deals.id = n.deal_id
    WHERE o.shown_at IS NULL AND n.shown_at IS NOT NULL ORDER BY n.id;
    RETURN NULL;
END $$;

CREATE FUNCTION log_released_messages() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO changes (type, ad_id, user_id, data)
    SELECT CASE
            WHEN m.kind = 'offer' THEN 'offer.made'
            WHEN m.kind = 'notice' AND m.text = 'accepted' THEN 'offer.accepted'
            ELSE 'message.sent'
        END, c.ad_id, m.author_id, jsonb_strip_nulls(jsonb_build_object(
            'conversation', c.id, 'message', m.id, 'offer', m.offer_id, 'price', o.price,
            'to', CASE m.by WHEN 'buyer' THEN c.seller_id ELSE c.buyer_id END
        ))
    FROM new_rows AS m JOIN conversations AS c ON c.id = m.conversation_id
    LEFT JOIN offers AS o ON o.id = m.offer_id AND m.kind = 'offer'
    WHERE NOT m.held AND m.id IN (SELECT id FROM old_rows WHERE held) ORDER BY m.id;
    RETURN NULL;
END $$;

CREATE FUNCTION log_reports_insert() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO changes (type, ad_id, user_id, data)
    SELECT 'report.created', ad_id, author_id, jsonb_build_object('case', case_id)
    FROM new_rows JOIN cases ON cases.id = case_id ORDER BY new_rows.id;
    RETURN NULL;
END $$;

CREATE FUNCTION log_users_insert() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO changes (type, user_id, data)
    SELECT 'user.registered', id, '{}' FROM new_rows ORDER BY id;
    RETURN NULL;
END $$;

CREATE FUNCTION look_again() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    UPDATE cases SET status = 'open', changed_at = now()
    WHERE kind = 'ad' AND target_id = NEW.id AND status = 'decided';
    RETURN NULL;
END $$;

CREATE FUNCTION more_words(normal text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $_$
DECLARE
    forms text[] := '{}';
    word text;
    parts text;
    other text;
    others text[];
    joined text := (
        SELECT string_agg(match[2] || match[3], ' ') FROM regexp_matches(
            normal, '(^| )([b-hj-z]) ([^ ''+./_&-]{3,63})(?= |$)', 'g'
        ) AS match
    );
BEGIN
    IF normal !~ '[0-9''+./_&-]' AND octet_length(normal) = length(normal) THEN
        RETURN coalesce(joined, '');
    END IF;
    FOR word IN
        SELECT DISTINCT btrim(given, '''+-./_&') FROM unnest(string_to_array(normal, ' ')) AS given
        WHERE given ~ '[^a-z0-9]|[a-z][0-9]|[0-9][a-z]'
    LOOP
        IF word ~ '^[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]' THEN
            forms := forms || (
                SELECT string_agg(pair, ' ' ORDER BY number) FROM (
                    SELECT number, sign || lead(sign) OVER (ORDER BY number) AS pair
                    FROM unnest(string_to_array(word, NULL)) WITH ORDINALITY AS signs (sign, number)
                ) AS pairs
            );
            CONTINUE;
        END IF;
        CONTINUE WHEN length(word) > 64;
        parts := word;
        IF word ~ '[0-9''+./_&-]' THEN
            parts := btrim(regexp_replace(plain_words(word), ' +', ' ', 'g'));
            IF position(' ' IN parts) > 0 THEN
                forms := forms || replace(parts, ' ', '');
            END IF;
        END IF;
        CONTINUE WHEN octet_length(parts) = length(parts);
        others := ARRAY[folded(parts)];
        IF parts ~ '[äöü]' THEN
            others := others || folded(
                replace(replace(replace(parts, 'ü', 'ue'), 'ö', 'oe'), 'ä', 'ae')
            );
        END IF;
        FOREACH other IN ARRAY others LOOP
            CONTINUE WHEN other = parts;
            forms := forms || other;
            IF position(' ' IN other) > 0 THEN
                forms := forms || replace(other, ' ', '');
            END IF;
        END LOOP;
    END LOOP;
    RETURN concat_ws(' ', array_to_string(forms, ' '), joined);
END $_$;

CREATE FUNCTION move_category_ad_totals() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO category_ad_totals AS t (category_id, slot, ads)
    SELECT category_id, pg_backend_pid() % 16, sum(step) FROM (VALUES
        (OLD.category_id, CASE WHEN OLD.status IN ('active', 'reserved') THEN -1 ELSE 0 END),
        (NEW.category_id, CASE WHEN NEW.status IN ('active', 'reserved') THEN 1 ELSE 0 END)
    ) AS moved (category_id, step)
    WHERE category_id IS NOT NULL GROUP BY category_id HAVING sum(step) <> 0 ORDER BY category_id
    ON CONFLICT (category_id, slot) DO UPDATE SET ads = t.ads + excluded.ads;
    RETURN NULL;
END $$;

CREATE FUNCTION normal_words(words text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $_$
BEGIN
    IF octet_length(words) = length(words) THEN
        words := lower(words);
    ELSE
        IF words ~ '[’‘‛ʼʹ`´′‐‑‒–—―−]' THEN
            words := translate(words, '’‘‛ʼʹ`´′‐‑‒–—―−', '''''''''''''''''-------');
        END IF;
        words := lower(normalize(regexp_replace(words, '[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]+', '', 'g'), NFKC));
        IF lower('Ä') = 'Ä' THEN
            words := translate(words, 'ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞĀĂĄĆĈĊČĎĐĒĔĖĘĚĜĞĠĢĤĦĨĪĬĮĲĴĶĹĻĽĿŁŃŅŇŊŌŎŐŒŔŖŘŚŜŞŠŢŤŦŨŪŬŮŰŲŴŶŸŹŻŽƁƂƄƆƇƉƊƋƎƏƐƑƓƔƖƗƘƜƝƟƠƢƤƦƧƩƬƮƯƱƲƳƵƷƸƼǄǅǇǈǊǋǍǏǑǓǕǗǙǛǞǠǢǤǦǨǪǬǮǱǲǴǶǷǸǺǼǾȀȂȄȆȈȊȌȎȐȒȔȖȘȚȜȞȠȢȤȦȨȪȬȮȰȲȺȻȽȾɁɃɄɅɆɈɊɌɎͰͲͶͿΆΈΉΊΌΎΏΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩΪΫϏϘϚϜϞϠϢϤϦϨϪϬϮϴϷϹϺϽϾϿЀЁЂЃЄЅІЇЈЉЊЋЌЍЎЏАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯѠѢѤѦѨѪѬѮѰѲѴѶѸѺѼѾҀҊҌҎҐҒҔҖҘҚҜҞҠҢҤҦҨҪҬҮҰҲҴҶҸҺҼҾӀӁӃӅӇӉӋӍӐӒӔӖӘӚӜӞӠӢӤӦӨӪӬӮӰӲӴӶӸӺӼӾԀԂԄԆԈԊԌԎԐԒԔԖԘԚԜԞԠԢԤԦԨԪԬԮԱԲԳԴԵԶԷԸԹԺԻԼԽԾԿՀՁՂՃՄՅՆՇՈՉՊՋՌՍՎՏՐՑՒՓՔՕՖ', 'àáâãäåæçèéêëìíîïðñòóôõöøùúûüýþāăąćĉċčďđēĕėęěĝğġģĥħĩīĭįĳĵķĺļľŀłńņňŋōŏőœŕŗřśŝşšţťŧũūŭůűųŵŷÿźżžɓƃƅɔƈɖɗƌǝəɛƒɠɣɩɨƙɯɲɵơƣƥʀƨʃƭʈưʊʋƴƶʒƹƽǆǆǉǉǌǌǎǐǒǔǖǘǚǜǟǡǣǥǧǩǫǭǯǳǳǵƕƿǹǻǽǿȁȃȅȇȉȋȍȏȑȓȕȗșțȝȟƞȣȥȧȩȫȭȯȱȳⱥȼƚⱦɂƀʉʌɇɉɋɍɏͱͳͷϳάέήίόύώαβγδεζηθικλμνξοπρστυφχψωϊϋϗϙϛϝϟϡϣϥϧϩϫϭϯθϸϲϻͻͼͽѐёђѓєѕіїјљњћќѝўџабвгдежзийклмнопрстуфхцчшщъыьэюяѡѣѥѧѩѫѭѯѱѳѵѷѹѻѽѿҁҋҍҏґғҕҗҙқҝҟҡңҥҧҩҫҭүұҳҵҷҹһҽҿӏӂӄӆӈӊӌӎӑӓӕӗәӛӝӟӡӣӥӧөӫӭӯӱӳӵӷӹӻӽӿԁԃԅԇԉԋԍԏԑԓԕԗԙԛԝԟԡԣԥԧԩԫԭԯաբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆ');
        END IF;
        words := regexp_replace(words, '([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+)', ' \1 ', 'g');
    END IF;
    -- Twenty times as fast as `translate`.
    RETURN regexp_replace(words, '[\t\n\r!"#$%()*,:;<=>?@[\\\]^`{|}~]', ' ', 'g');
END $_$;

CREATE FUNCTION note_changes(kind text, ids text[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF cardinality(ids) > 100 THEN
        INSERT INTO changes (notice) VALUES (kind || ':');
    ELSE
        INSERT INTO changes (notice) SELECT kind || ':' || id FROM unnest(ids) AS id;
    END IF;
END $$;

CREATE FUNCTION note_conversations() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO changes (notice)
    SELECT 'message:' || party FROM (VALUES
        (NEW.buyer_id, (OLD.buyer_last, OLD.buyer_unread, OLD.buyer_hidden, OLD.seller_read) IS DISTINCT FROM (NEW.buyer_last, NEW.buyer_unread, NEW.buyer_hidden, NEW.seller_read)), (NEW.seller_id, (OLD.seller_last, OLD.seller_unread, OLD.seller_hidden, OLD.buyer_read) IS DISTINCT FROM (NEW.seller_last, NEW.seller_unread, NEW.seller_hidden, NEW.buyer_read))
    ) AS parties (party, is_changed)
    WHERE is_changed AND party IS NOT NULL;
    RETURN NULL;
END $$;

CREATE FUNCTION note_notifications() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF (SELECT count(DISTINCT user_id) FROM changed) > 100 THEN
        INSERT INTO changes (notice) VALUES ('notification:');
    ELSE
        INSERT INTO changes (notice) SELECT DISTINCT 'notification:' || user_id FROM changed;
    END IF;
    RETURN NULL;
END $$;

CREATE FUNCTION number_terms(name text, value numeric) RETURNS SETOF text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
    SELECT unnest(number_terms_array(name, value))
$$;

CREATE FUNCTION number_terms_array(name text, value numeric) RETURNS text[]
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $$
DECLARE
    code bigint := ('x' || encode(float8send(
        CASE WHEN abs(value) > 1e300 THEN sign(value) * 1e300
            WHEN abs(value) < 1e-300 THEN 0 ELSE value END::float8
    ), 'hex'))::bit(64)::bigint;
BEGIN
    -- The first 63 bits, in an order in which numbers have theirs.
    code := CASE WHEN code < 0 THEN ~code >> 1 ELSE (code >> 1) | (1::bigint << 62) END;
    name := name || '#';
    RETURN ARRAY[
        name || 'b' || to_hex(code >> 61), name || 'e' || to_hex(code >> 55),
        name || 'f' || to_hex(code >> 53), name || 'g' || to_hex(code >> 51),
        name || 'h' || to_hex(code >> 49), name || 'i' || to_hex(code >> 47),
        name || 'j' || to_hex(code >> 45), name || 'k' || to_hex(code >> 43),
        name || 'l' || to_hex(code >> 41)
    ];
END $$;

CREATE FUNCTION place_ad() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    SELECT latitude, longitude INTO NEW.public_latitude, NEW.public_longitude
    FROM places WHERE id = NEW.place_id;
    RETURN NEW;
END $$;

CREATE FUNCTION plain_words(normal text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $$
BEGIN
    normal := regexp_replace(normal, '[''+./_&-]', ' ', 'g');
    normal := regexp_replace(normal, '([0-9])([^0-9 ])', '\1 \2', 'g');
    normal := regexp_replace(normal, '([^0-9 ])([0-9])', '\1 \2', 'g');
    IF octet_length(normal) > length(normal) THEN
        normal := regexp_replace(normal, '([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])', '\1 ', 'g');
    END IF;
    RETURN normal;
END $$;

CREATE FUNCTION queue_ad_images() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        PERFORM queue_picture_with_variants(name)
        FROM (SELECT name FROM old_rows ORDER BY name) AS gone;
    ELSE
        PERFORM queue_picture_with_variants(name)
        FROM (
            SELECT o.name FROM old_rows o JOIN new_rows n USING (id)
            WHERE o.name <> n.name ORDER BY o.name
        ) AS gone;
        INSERT INTO changes (notice)
        SELECT DISTINCT concat_ws(':', 'ad', ads.id, author_id, coalesce(category_id, 0),
            coalesce(category_id, 0), '')
        FROM new_rows JOIN ads ON ads.id = ad_id;
    END IF;
    RETURN NULL;
END $$;

CREATE FUNCTION queue_hidden_files() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    -- A trigger of a statement runs without rows too: the one below would never end.
    IF EXISTS (SELECT FROM queued JOIN hidden_pictures USING (name)) THEN
        WITH gone AS (
            DELETE FROM hidden_pictures USING queued WHERE hidden_pictures.name = queued.name
            RETURNING stem, split_part(hidden_pictures.name, '.', 2) AS extension
        )
        INSERT INTO picture_deletions (name)
        SELECT file FROM gone, unnest(ARRAY[
            stem || '.' || extension, stem || '-card.webp',
        stem || '-share.jpg',
        stem || '-thumb.webp'
        ]) AS file ORDER BY file
        ON CONFLICT DO NOTHING;
    END IF;
    RETURN NULL;
END $$;

CREATE FUNCTION queue_hidden_pictures_added() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO hidden_pictures (name)
    SELECT DISTINCT new_rows.name
    FROM new_rows JOIN ads ON ads.id = ad_id JOIN users ON users.id = author_id
    WHERE ads.status IN ('suspended', 'removed') OR suspended_until > now() ORDER BY new_rows.name
    ON CONFLICT (name) DO UPDATE SET is_pending = true;
    RETURN NULL;
END $$;

CREATE FUNCTION queue_hidden_pictures_of_account() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO hidden_pictures (name)
    SELECT name FROM (
        SELECT ad_images.name FROM ad_images JOIN ads ON ads.id = ad_id WHERE author_id = NEW.id
        UNION SELECT NEW.image WHERE NEW.image IS NOT NULL
    ) AS theirs ORDER BY name
    ON CONFLICT (name) DO UPDATE SET is_pending = true;
    RETURN NULL;
END $$;

CREATE FUNCTION queue_hidden_pictures_of_ad() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO hidden_pictures (name)
    SELECT DISTINCT name FROM ad_images WHERE ad_id = NEW.id ORDER BY name
    ON CONFLICT (name) DO UPDATE SET is_pending = true;
    RETURN NULL;
END $$;

CREATE FUNCTION queue_picture_deletions() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        INSERT INTO picture_deletions (name)
        SELECT image FROM old_rows WHERE image <> '' ORDER BY image
        ON CONFLICT DO NOTHING;
    ELSE
        INSERT INTO picture_deletions (name)
        SELECT o.image FROM old_rows o JOIN new_rows n USING (id)
        WHERE o.image IS NOT NULL AND o.image IS DISTINCT FROM n.image ORDER BY o.image
        ON CONFLICT DO NOTHING;
    END IF;
    RETURN NULL;
END $$;

CREATE FUNCTION queue_picture_with_variants(picture text) RETURNS void
    LANGUAGE sql
    AS $$
    INSERT INTO picture_deletions (name)
    SELECT file FROM unnest(ARRAY[
        picture, split_part(picture, '.', 1) || '-card.webp',
        split_part(picture, '.', 1) || '-share.jpg',
        split_part(picture, '.', 1) || '-thumb.webp'
    ]) AS file ORDER BY file
    ON CONFLICT DO NOTHING;
$$;

CREATE FUNCTION release_images() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    DELETE FROM images USING queued WHERE images.name = queued.name;
    RETURN NULL;
END $$;

CREATE FUNCTION replace_ad_image() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF EXISTS (SELECT FROM ad_images WHERE ad_id = NEW.id AND name = NEW.image) THEN
        RETURN NULL;
    END IF;
    UPDATE ad_images
    SET name = NEW.image, width = NULL, height = NULL, placeholder = NULL,
        has_variants = false, has_share = false
    WHERE ad_id = NEW.id AND name = OLD.image;
    IF NOT FOUND THEN
        INSERT INTO ad_images (ad_id, position, name)
        SELECT NEW.id, coalesce(min(position) - 1, 0), NEW.image
        FROM ad_images WHERE ad_id = NEW.id;
        PERFORM queue_picture_with_variants(OLD.image);
    END IF;
    RETURN NULL;
END $$;

CREATE FUNCTION reworded(search tsvector, words text) RETURNS tsvector
    LANGUAGE sql STABLE
    AS $_$
    SELECT CASE WHEN search = '' THEN search ELSE ad_words(words) || (
        SELECT array_to_tsvector(coalesce(array_agg(lexeme), '{}'))
        FROM unnest(tsvector_to_array(search)) AS lexeme WHERE lexeme ~ '^[=@$%^]'
    ) END
$_$;

CREATE FUNCTION skip_retained_pictures() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
    begins text := split_part(split_part(NEW.name, '.', 1), '-', 1);
BEGIN
    -- A variant has another extension than its picture.
    IF EXISTS (
        SELECT FROM hidden_pictures WHERE deletion_id IS NOT NULL
        AND name IN (NEW.name, begins || '.jpg', begins || '.png', begins || '.webp')
    ) THEN
        RETURN NULL;
    END IF;
    RETURN NEW;
END $$;

CREATE FUNCTION tell_ad_image() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF OLD.image <> '' THEN
        PERFORM note_changes('image', ARRAY[OLD.image]);
    END IF;
    RETURN NULL;
END $$;

CREATE FUNCTION tell_ads_delete() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO changes (notice, type, ad_id, user_id, data)
    SELECT concat_ws(
        ':', 'ad', id, author_id, coalesce(category_id, 0), 0,
        CASE WHEN old_rows.status IN ('active', 'reserved') THEN 's' ELSE '' END
    ), 'ad.deleted', id, author_id,
        jsonb_strip_nulls(jsonb_build_object('externalId', external_id)) FROM old_rows ORDER BY id;
    PERFORM note_changes('image', array_agg(image)) FROM old_rows
    WHERE image <> '' HAVING count(*) > 0;
    RETURN NULL;
END $$;

CREATE FUNCTION tell_ads_insert() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO changes (notice, type, ad_id, user_id, data)
    SELECT concat_ws(
        ':', 'ad', id, author_id, coalesce(category_id, 0), 0,
        CASE WHEN new_rows.status IN ('active', 'reserved') THEN 's' ELSE '' END
    ), 'ad.created', id, author_id, jsonb_strip_nulls(
        jsonb_build_object('status', status, 'externalId', external_id)
    )
    FROM new_rows ORDER BY id;
    RETURN NULL;
END $$;

CREATE FUNCTION tell_ads_truncate() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM note_changes('ad', '{""}'), note_changes('image', '{""}');
    RETURN NULL;
END $$;

CREATE FUNCTION tell_ads_update() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO changes (notice, type, ad_id, user_id, data)
    SELECT CASE WHEN coalesce(happened.number, 1) = 1 THEN concat_ws(
        ':', 'ad', n.id, n.author_id, coalesce(n.category_id, 0), coalesce(o.category_id, 0),
        CASE WHEN o.status IN ('active', 'reserved') OR n.status IN ('active', 'reserved')
        THEN concat(
            CASE WHEN (o.status, o.expires_at, o.created_at)
                IS DISTINCT FROM (n.status, n.expires_at, n.created_at) THEN 's' END,
            CASE WHEN (o.title, o.description, o.attribute_words)
                <> (n.title, n.description, n.attribute_words) THEN 'w' END,
            CASE WHEN (o.price, o.price_type) <> (n.price, n.price_type) THEN 'p' END,
            CASE WHEN (o.category_id, o.attributes)
                IS DISTINCT FROM (n.category_id, n.attributes) THEN 'a' END,
            CASE WHEN (o.public_latitude, o.public_longitude)
                IS DISTINCT FROM (n.public_latitude, n.public_longitude) THEN 'l' END
        ) ELSE '' END
    ) END, happened.type, n.id, n.author_id,
        happened.data || jsonb_strip_nulls(jsonb_build_object('externalId', n.external_id))
    FROM old_rows o JOIN new_rows n USING (id) LEFT JOIN LATERAL (
        SELECT row_number() OVER () AS number, happened.type, happened.data FROM (
            SELECT CASE
                WHEN n.status IN ('suspended', 'removed') THEN 'ad.hidden'
                WHEN o.status IN ('suspended', 'removed') THEN 'ad.shown'
                WHEN o.status NOT IN ('active', 'reserved') AND n.status IN ('active', 'reserved')
                    THEN 'ad.published'
                WHEN n.status = 'reserved' THEN 'ad.reserved'
                WHEN o.status = 'reserved' AND n.status = 'active' THEN 'ad.released'
                WHEN n.status = 'sold' THEN 'ad.sold'
                WHEN n.status = 'withdrawn' THEN 'ad.withdrawn'
                WHEN n.status = 'expired' THEN 'ad.expired'
                ELSE 'ad.updated'
            END AS type, jsonb_build_object('from', o.status, 'to', n.status) AS data
            WHERE o.status <> n.status
            UNION ALL
            SELECT CASE WHEN o.expires_at > now() THEN 'ad.renewed' ELSE 'ad.published' END,
                CASE WHEN o.expires_at > now() THEN '{}'
                    ELSE jsonb_build_object('from', 'expired', 'to', n.status) END
            WHERE o.status = n.status AND n.status IN ('active', 'reserved')
                AND o.expires_at < n.expires_at
            UNION ALL
            SELECT 'ad.priceChanged', jsonb_build_object(
                'from', o.price, 'to', CASE WHEN n.price_type <> 'onRequest' THEN n.price END
            )
            WHERE o.price_type <> 'onRequest'
                AND (o.price <> n.price OR n.price_type = 'onRequest')
            UNION ALL
            SELECT 'ad.updated', '{}'
            WHERE (
                o.title, o.description, o.place, o.category_id, o.attributes, o.price_type,
                o.image, o.image_count, o.latitude, o.longitude
            ) IS DISTINCT FROM (
                n.title, n.description, n.place, n.category_id, n.attributes, n.price_type,
                n.image, n.image_count, n.latitude, n.longitude
            )
            OR o.price <> n.price AND o.price_type = 'onRequest'
            -- A picture that is not the first one.
            OR o.updated_at <> n.updated_at AND (o.status, o.price, o.expires_at)
                IS NOT DISTINCT FROM (n.status, n.price, n.expires_at)
        ) AS happened
    ) AS happened ON true;
    RETURN NULL;
END $$;

CREATE FUNCTION tell_categories() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM note_changes('category', '{""}');
    RETURN NULL;
END $$;

CREATE FUNCTION tell_hidden_pictures() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM note_changes('image', array_agg(file)) FROM new_rows, unnest(ARRAY[
        name, split_part(name, '.', 1) || '-card.webp',
        split_part(name, '.', 1) || '-share.jpg',
        split_part(name, '.', 1) || '-thumb.webp'
    ]) AS file WHERE is_hidden HAVING count(*) > 0;
    RETURN NULL;
END $$;

CREATE FUNCTION tell_keys_delete() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM note_changes('key', array_agg(id::text)) FROM old_rows HAVING count(*) > 0;
    RETURN NULL;
END $$;

CREATE FUNCTION tell_keys_truncate() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM note_changes('key', '{""}');
    RETURN NULL;
END $$;

CREATE FUNCTION tell_outbox() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO changes (notice) VALUES ('outbox:');
    RETURN NULL;
END $$;

CREATE FUNCTION tell_picture_deletions() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM note_changes('image', array_agg(name)) FROM old_rows HAVING count(*) > 0;
    RETURN NULL;
END $$;

CREATE FUNCTION tell_push() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF EXISTS (SELECT FROM changed) THEN
        INSERT INTO changes (notice) VALUES ('outbox:');
    END IF;
    RETURN NULL;
END $$;

CREATE FUNCTION tell_sessions_delete() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM note_changes('session', array_agg(id::text)) FROM old_rows HAVING count(*) > 0;
    RETURN NULL;
END $$;

CREATE FUNCTION tell_sessions_truncate() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM note_changes('session', '{""}');
    RETURN NULL;
END $$;

CREATE FUNCTION tell_users_delete() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM note_changes('user', array_agg(id::text)) FROM old_rows HAVING count(*) > 0;
    PERFORM note_changes('image', array_agg(image))
    FROM old_rows WHERE image IS NOT NULL HAVING count(*) > 0;
    INSERT INTO changes (type, user_id, data)
    SELECT 'user.deleted', id, '{}' FROM old_rows ORDER BY id;
    RETURN NULL;
END $$;

CREATE FUNCTION tell_users_truncate() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM note_changes('user', '{""}'), note_changes('image', '{""}');
    RETURN NULL;
END $$;

CREATE FUNCTION tell_users_update() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM note_changes('user', array_agg(id::text)) FROM old_rows HAVING count(*) > 0;
    PERFORM note_changes('image', array_agg(o.image)) FROM old_rows o JOIN new_rows n USING (id)
    WHERE o.image IS DISTINCT FROM n.image AND o.image IS NOT NULL HAVING count(*) > 0;
    INSERT INTO changes (type, user_id, data)
    SELECT happened.type, n.id, '{}' FROM old_rows o JOIN new_rows n USING (id), LATERAL (
        SELECT 'user.verified' WHERE n.mail_verified AND NOT o.mail_verified
        UNION ALL
        SELECT 'user.suspended' WHERE o.suspended_until IS NULL AND n.suspended_until IS NOT NULL
        UNION ALL
        SELECT 'user.restored' WHERE o.suspended_until IS NOT NULL AND n.suspended_until IS NULL
    ) AS happened (type);
    RETURN NULL;
END $$;

CREATE TEXT SEARCH CONFIGURATION adsvc (
    PARSER = pg_catalog."default" );

ALTER TEXT SEARCH CONFIGURATION adsvc
    ADD MAPPING FOR asciiword WITH english_stem;

ALTER TEXT SEARCH CONFIGURATION adsvc
    ADD MAPPING FOR word WITH english_stem;

ALTER TEXT SEARCH CONFIGURATION adsvc
    ADD MAPPING FOR numword WITH simple;

ALTER TEXT SEARCH CONFIGURATION adsvc
    ADD MAPPING FOR email WITH simple;

ALTER TEXT SEARCH CONFIGURATION adsvc
    ADD MAPPING FOR url WITH simple;

ALTER TEXT SEARCH CONFIGURATION adsvc
    ADD MAPPING FOR host WITH simple;

ALTER TEXT SEARCH CONFIGURATION adsvc
    ADD MAPPING FOR sfloat WITH simple;

ALTER TEXT SEARCH CONFIGURATION adsvc
    ADD MAPPING FOR version WITH simple;

ALTER TEXT SEARCH CONFIGURATION adsvc
    ADD MAPPING FOR hword_numpart WITH simple;

ALTER TEXT SEARCH CONFIGURATION adsvc
    ADD MAPPING FOR hword_part WITH english_stem;

ALTER TEXT SEARCH CONFIGURATION adsvc
    ADD MAPPING FOR hword_asciipart WITH english_stem;

ALTER TEXT SEARCH CONFIGURATION adsvc
    ADD MAPPING FOR numhword WITH simple;

ALTER TEXT SEARCH CONFIGURATION adsvc
    ADD MAPPING FOR asciihword WITH english_stem;

ALTER TEXT SEARCH CONFIGURATION adsvc
    ADD MAPPING FOR hword WITH english_stem;

ALTER TEXT SEARCH CONFIGURATION adsvc
    ADD MAPPING FOR url_path WITH simple;

ALTER TEXT SEARCH CONFIGURATION adsvc
    ADD MAPPING FOR file WITH simple;

ALTER TEXT SEARCH CONFIGURATION adsvc
    ADD MAPPING FOR "float" WITH simple;

ALTER TEXT SEARCH CONFIGURATION adsvc
    ADD MAPPING FOR "int" WITH simple;

ALTER TEXT SEARCH CONFIGURATION adsvc
    ADD MAPPING FOR uint WITH simple;

CREATE TABLE accepted_terms (
    id bigint NOT NULL,
    user_id bigint NOT NULL,
    page text NOT NULL,
    version integer NOT NULL,
    at timestamp(3) with time zone DEFAULT now() NOT NULL
);

ALTER TABLE accepted_terms ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME accepted_terms_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE ad_comment_totals (
    ad_id bigint NOT NULL,
    comments bigint NOT NULL
);

CREATE TABLE ad_events (
    id bigint NOT NULL,
    ad_id bigint NOT NULL,
    actor_id bigint,
    event text NOT NULL,
    from_status text,
    to_status text NOT NULL,
    at timestamp(3) with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ad_events ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME ad_events_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE ad_images (
    id bigint NOT NULL,
    ad_id bigint NOT NULL,
    "position" integer NOT NULL,
    name text NOT NULL,
    width integer,
    height integer,
    placeholder text,
    has_variants boolean DEFAULT false NOT NULL,
    digest bytea,
    has_share boolean DEFAULT false NOT NULL
);

ALTER TABLE ad_images ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME ad_images_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE ad_totals (
    slot smallint NOT NULL,
    ads bigint NOT NULL
);

CREATE TABLE ad_views (
    ad_id bigint NOT NULL,
    day date NOT NULL,
    views bigint DEFAULT 0 NOT NULL,
    visitors bigint[] DEFAULT '{}'::bigint[] NOT NULL,
    aliases bigint[] DEFAULT '{}'::bigint[] NOT NULL
);

ALTER TABLE ads ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME ads_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE alerted_ads (
    user_id bigint NOT NULL,
    ad_id bigint NOT NULL,
    at timestamp(3) with time zone DEFAULT now() NOT NULL
);

CREATE TABLE answer_figures (
    user_id bigint NOT NULL,
    minutes integer,
    rate double precision
);

CREATE TABLE audit_events (
    id bigint NOT NULL,
    at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL,
    event text NOT NULL,
    actor text,
    target text,
    ad_id bigint,
    owner_id bigint,
    request_id text,
    address text,
    omitted integer DEFAULT 0 NOT NULL
);

ALTER TABLE audit_events ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME audit_events_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE author_ad_totals (
    author_id bigint NOT NULL,
    ads bigint NOT NULL,
    hidden bigint DEFAULT '0'::bigint NOT NULL
);

CREATE TABLE blocks (
    owner_id bigint NOT NULL,
    blocked_id bigint NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
);

CREATE TABLE cases (
    id bigint NOT NULL,
    kind text NOT NULL,
    target_id bigint NOT NULL,
    ad_id bigint NOT NULL,
    author_id bigint,
    status text DEFAULT 'open'::text NOT NULL,
    reports integer DEFAULT 0 NOT NULL,
    snapshot jsonb NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    changed_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    CONSTRAINT ck_cases_kind CHECK ((kind = ANY (ARRAY['ad'::text, 'comment'::text, 'message'::text, 'rating'::text]))),
    CONSTRAINT ck_cases_status CHECK ((status = ANY (ARRAY['open'::text, 'decided'::text, 'appealed'::text])))
);

ALTER TABLE cases ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME cases_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE categories (
    id bigint NOT NULL,
    slug text NOT NULL,
    parent_id bigint,
    name text NOT NULL,
    names jsonb DEFAULT '{}'::jsonb NOT NULL,
    "position" integer DEFAULT 0 NOT NULL,
    attributes jsonb DEFAULT '[]'::jsonb NOT NULL,
    synonyms jsonb DEFAULT '{}'::jsonb NOT NULL,
    icon text,
    color text
);

ALTER TABLE categories ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME categories_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE category_ad_totals (
    category_id bigint NOT NULL,
    slot smallint NOT NULL,
    ads bigint NOT NULL
);

CREATE TABLE category_words (
    category_id bigint NOT NULL,
    names text NOT NULL,
    words text NOT NULL,
    changed_by bigint DEFAULT ((pg_current_xact_id())::text)::bigint NOT NULL,
    reworded bigint,
    names_search tsvector DEFAULT ''::tsvector NOT NULL,
    words_search tsvector DEFAULT ''::tsvector NOT NULL
);

CREATE TABLE changed_ads (
    id bigint NOT NULL,
    ad_id bigint NOT NULL,
    at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL,
    words text NOT NULL,
    status text NOT NULL,
    is_shown boolean NOT NULL,
    author_id bigint NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    price integer NOT NULL,
    price_type text NOT NULL,
    category_id bigint,
    attributes jsonb NOT NULL,
    public_latitude double precision,
    public_longitude double precision
);

ALTER TABLE changed_ads ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME changed_ads_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE changes (
    id bigint NOT NULL,
    xid bigint DEFAULT ((pg_current_xact_id())::text)::bigint NOT NULL,
    at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL,
    notice text,
    type text,
    ad_id bigint,
    user_id bigint,
    data jsonb
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='10000');

ALTER TABLE changes ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME changes_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE comments (
    id bigint NOT NULL,
    ad_id bigint NOT NULL,
    author_id bigint NOT NULL,
    text text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);

ALTER TABLE comments ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME comments_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE consumers (
    name text NOT NULL,
    "position" bigint NOT NULL
);

CREATE TABLE contacts (
    ad_id bigint NOT NULL,
    user_id bigint NOT NULL,
    at timestamp(3) with time zone DEFAULT now() NOT NULL
);

CREATE TABLE conversations (
    id bigint NOT NULL,
    ad_id bigint NOT NULL,
    title text NOT NULL,
    buyer_id bigint,
    seller_id bigint,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    buyer_last bigint,
    seller_last bigint,
    buyer_read bigint DEFAULT '0'::bigint NOT NULL,
    seller_read bigint DEFAULT '0'::bigint NOT NULL,
    buyer_unread integer DEFAULT 0 NOT NULL,
    seller_unread integer DEFAULT 0 NOT NULL,
    buyer_hidden boolean DEFAULT false NOT NULL,
    seller_hidden boolean DEFAULT false NOT NULL,
    buyer_mail_due timestamp(3) with time zone,
    seller_mail_due timestamp(3) with time zone,
    sold_at timestamp(3) with time zone
);

ALTER TABLE conversations ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME conversations_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE deals (
    id bigint NOT NULL,
    ad_id bigint NOT NULL,
    title text NOT NULL,
    price integer NOT NULL,
    buyer_id bigint,
    seller_id bigint,
    at timestamp(3) with time zone DEFAULT now() NOT NULL,
    reminded boolean DEFAULT false NOT NULL
);

ALTER TABLE deals ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME deals_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE decisions (
    id bigint NOT NULL,
    at timestamp(3) with time zone DEFAULT now() NOT NULL,
    case_id bigint,
    user_id bigint,
    actor_id bigint,
    action text NOT NULL,
    ground text,
    reference text DEFAULT ''::text NOT NULL,
    explanation text DEFAULT ''::text NOT NULL,
    until timestamp(3) with time zone,
    undoes_id bigint,
    ended_at timestamp(3) with time zone,
    appealed_at timestamp(3) with time zone,
    appeal text,
    final boolean DEFAULT false NOT NULL
);

ALTER TABLE decisions ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME decisions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE deleted_rows (
    id bigint NOT NULL,
    deletion_id bigint NOT NULL,
    place text NOT NULL,
    content jsonb NOT NULL
);

ALTER TABLE deleted_rows ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME deleted_rows_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE deletions (
    id bigint NOT NULL,
    kind text NOT NULL,
    target_id bigint NOT NULL,
    owner_id bigint NOT NULL,
    label text NOT NULL,
    actor text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    ends_at timestamp(3) with time zone NOT NULL
);

ALTER TABLE deletions ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME deletions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE digested_notices (
    entry_id bigint NOT NULL,
    user_id bigint NOT NULL,
    kind text NOT NULL,
    payload jsonb NOT NULL
);

CREATE TABLE event_batches (
    id bigint NOT NULL,
    last_event_id bigint NOT NULL,
    snapshot text NOT NULL
);

CREATE TABLE event_log (
    single boolean DEFAULT true NOT NULL,
    epoch uuid DEFAULT gen_random_uuid() NOT NULL,
    CONSTRAINT ck_event_log_one_row CHECK (single)
);

CREATE TABLE events (
    id bigint NOT NULL,
    day date NOT NULL,
    at timestamp(3) with time zone NOT NULL,
    type text NOT NULL,
    ad_id bigint,
    user_id bigint,
    data jsonb NOT NULL,
    change_id bigint
)
PARTITION BY RANGE (day);

CREATE TABLE fan_outs (
    id bigint NOT NULL,
    type text NOT NULL,
    ad_id bigint NOT NULL,
    at timestamp(3) with time zone NOT NULL,
    data jsonb DEFAULT '{}'::jsonb NOT NULL,
    reached bigint DEFAULT 0 NOT NULL,
    ended_at timestamp(3) with time zone
);

ALTER TABLE fan_outs ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME fan_outs_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE favorite_totals (
    ad_id bigint NOT NULL,
    favorites bigint NOT NULL
);

CREATE TABLE favorites (
    id bigint NOT NULL,
    user_id bigint NOT NULL,
    ad_id bigint NOT NULL,
    added_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL,
    price integer NOT NULL,
    price_noticed_at timestamp(3) with time zone
);

ALTER TABLE favorites ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME favorites_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE hidden_pictures (
    name text NOT NULL,
    stem text DEFAULT replace((gen_random_uuid())::text, '-'::text, ''::text) NOT NULL,
    is_hidden boolean DEFAULT false NOT NULL,
    is_pending boolean DEFAULT true NOT NULL,
    deletion_id bigint
);

CREATE TABLE idempotency_keys (
    id bytea NOT NULL,
    user_id bigint,
    fingerprint bytea NOT NULL,
    claim bytea NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    status smallint,
    headers jsonb,
    body text
);

CREATE TABLE identities (
    id bigint NOT NULL,
    user_id bigint NOT NULL,
    issuer text NOT NULL,
    subject text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    last_used_at timestamp(3) with time zone
);

ALTER TABLE identities ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME identities_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE image_totals (
    owner_id bigint NOT NULL,
    bytes bigint NOT NULL
);

CREATE TABLE images (
    name text NOT NULL,
    owner_id bigint NOT NULL,
    bytes bigint NOT NULL
);

CREATE TABLE import_rows (
    id bigint NOT NULL,
    import_id bigint NOT NULL,
    number integer NOT NULL,
    external_id text,
    ad_id bigint,
    sent jsonb,
    digest bytea,
    images_digest bytea,
    fetches boolean NOT NULL,
    status text NOT NULL,
    faults jsonb,
    attempts integer DEFAULT 0 NOT NULL,
    next_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    claimed_until timestamp(3) with time zone,
    CONSTRAINT ck_import_rows_status CHECK ((status = ANY (ARRAY['pending'::text, 'created'::text, 'updated'::text, 'withdrawn'::text, 'failed'::text])))
);

ALTER TABLE import_rows ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME import_rows_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE imported_ads (
    ad_id bigint NOT NULL,
    digest bytea NOT NULL,
    images_digest bytea NOT NULL,
    revision timestamp(3) with time zone NOT NULL
);

CREATE TABLE imports (
    id bigint NOT NULL,
    owner_id bigint NOT NULL,
    mode text NOT NULL,
    dry_run boolean NOT NULL,
    status text NOT NULL,
    rows integer NOT NULL,
    unchanged integer NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    ended_at timestamp(3) with time zone,
    resumes_at timestamp(3) with time zone,
    outcomes jsonb,
    CONSTRAINT ck_imports_status CHECK ((status = ANY (ARRAY['running'::text, 'waiting'::text, 'done'::text, 'replaced'::text])))
);

ALTER TABLE imports ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME imports_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE installation (
    single boolean DEFAULT true NOT NULL,
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    oldest_head text DEFAULT '0010'::text NOT NULL,
    push_key bytea,
    link_key bytea,
    reworded bigint,
    secret_fingerprint bytea,
    maintenance jsonb,
    access_rules jsonb DEFAULT '{}'::jsonb NOT NULL,
    site jsonb,
    setup_hash bytea,
    setup_until timestamp(3) with time zone,
    CONSTRAINT ck_installation_one_row CHECK (single)
);

CREATE TABLE invitations (
    id bigint NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    hash bytea NOT NULL,
    uses integer NOT NULL,
    used integer DEFAULT 0 NOT NULL,
    expires_at timestamp(3) with time zone
);

ALTER TABLE invitations ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME invitations_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE jobs (
    name text NOT NULL,
    began_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    seconds double precision DEFAULT '0'::double precision NOT NULL,
    runs bigint DEFAULT '0'::bigint NOT NULL,
    failures bigint DEFAULT '0'::bigint NOT NULL,
    succeeded_at timestamp(3) with time zone,
    failed_at timestamp(3) with time zone,
    requested_at timestamp(3) with time zone
);

CREATE TABLE keys (
    id bigint NOT NULL,
    user_id bigint NOT NULL,
    name text NOT NULL,
    prefix text NOT NULL,
    hash bytea NOT NULL,
    scopes text[] NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    expires_at timestamp(3) with time zone,
    last_used_at timestamp(3) with time zone,
    session_began_at timestamp with time zone
);

ALTER TABLE keys ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME keys_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE mail_attempts (
    id bigint NOT NULL,
    user_id bigint NOT NULL,
    letter text NOT NULL,
    message_id uuid NOT NULL,
    attempt integer NOT NULL,
    outcome text NOT NULL,
    answer text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
);

ALTER TABLE mail_attempts ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME mail_attempts_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE mail_tokens (
    hash bytea NOT NULL,
    user_id bigint NOT NULL,
    purpose text NOT NULL,
    address text NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE matched_queries (
    query_id bigint NOT NULL
);

CREATE TABLE messages (
    id bigint NOT NULL,
    conversation_id bigint NOT NULL,
    author_id bigint NOT NULL,
    by text NOT NULL,
    kind text DEFAULT 'text'::text NOT NULL,
    hints text[] DEFAULT '{}'::text[] NOT NULL,
    text text NOT NULL,
    offer_id bigint,
    at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL,
    digest bytea,
    held boolean DEFAULT false NOT NULL,
    removed boolean DEFAULT false NOT NULL,
    CONSTRAINT ck_messages_ck_messages_by CHECK ((by = ANY (ARRAY['buyer'::text, 'seller'::text]))),
    CONSTRAINT ck_messages_ck_messages_kind CHECK ((kind = ANY (ARRAY['text'::text, 'offer'::text, 'notice'::text])))
);

ALTER TABLE messages ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME messages_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE notice_mails (
    user_id bigint NOT NULL,
    sent jsonb DEFAULT '{}'::jsonb NOT NULL,
    has_digest boolean DEFAULT false NOT NULL
);

CREATE TABLE notice_paces (
    user_id bigint NOT NULL,
    next_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE notifications (
    id bigint NOT NULL,
    user_id bigint NOT NULL,
    type text NOT NULL,
    at timestamp(3) with time zone DEFAULT now() NOT NULL,
    read boolean DEFAULT false NOT NULL,
    ad_id bigint,
    search_id bigint,
    conversation_id bigint,
    decision_id bigint,
    data jsonb DEFAULT '{}'::jsonb NOT NULL,
    revision bigint
);

ALTER TABLE notifications ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME notifications_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE offers (
    id bigint NOT NULL,
    conversation_id bigint NOT NULL,
    price integer NOT NULL,
    by text NOT NULL,
    status text DEFAULT 'open'::text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT ck_offers_ck_offers_by CHECK ((by = ANY (ARRAY['buyer'::text, 'seller'::text]))),
    CONSTRAINT ck_offers_ck_offers_status CHECK ((status = ANY (ARRAY['open'::text, 'accepted'::text, 'declined'::text, 'withdrawn'::text, 'expired'::text, 'done'::text])))
);

ALTER TABLE offers ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME offers_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE outbox (
    id bigint NOT NULL,
    kind text NOT NULL,
    payload jsonb NOT NULL,
    message_id uuid DEFAULT gen_random_uuid() NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    not_before timestamp(3) with time zone DEFAULT now() NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    dead_at timestamp(3) with time zone,
    error text
);

ALTER TABLE outbox ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME outbox_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE passkeys (
    id bigint NOT NULL,
    user_id bigint NOT NULL,
    name text NOT NULL,
    credential_id bytea NOT NULL,
    public_key bytea NOT NULL,
    sign_count bigint NOT NULL,
    backup_eligible boolean NOT NULL,
    backed_up boolean NOT NULL,
    rp_id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    last_used_at timestamp(3) with time zone,
    session_began_at timestamp with time zone
);

ALTER TABLE passkeys ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME passkeys_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE picture_deletions (
    name text NOT NULL
);

CREATE TABLE place_keys (
    place_id bigint NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C",
    cell integer NOT NULL,
    weight bigint NOT NULL
);

CREATE TABLE place_sources (
    country text NOT NULL,
    source text NOT NULL
);

CREATE TABLE places (
    id bigint NOT NULL,
    name text NOT NULL,
    country text NOT NULL,
    region text,
    population bigint NOT NULL,
    latitude double precision NOT NULL,
    longitude double precision NOT NULL,
    cell integer NOT NULL,
    postcode text,
    names jsonb
);

CREATE TABLE preferences (
    user_id bigint NOT NULL,
    ways jsonb DEFAULT '{}'::jsonb NOT NULL
);

CREATE TABLE price_changes (
    event_id bigint NOT NULL,
    ad_id bigint NOT NULL,
    at timestamp(3) with time zone NOT NULL,
    price integer NOT NULL
);

CREATE TABLE providers (
    id bigint NOT NULL,
    slug text NOT NULL,
    name text NOT NULL,
    issuer text NOT NULL,
    client_id text NOT NULL,
    client_secret bytea NOT NULL
);

ALTER TABLE providers ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME providers_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE push_messages (
    id bigint NOT NULL,
    subscription_id bigint NOT NULL,
    payload jsonb NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    not_before timestamp(3) with time zone DEFAULT now() NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    tag text,
    claimed_until timestamp(3) with time zone
);

ALTER TABLE push_messages ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME push_messages_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE push_subscriptions (
    id bigint NOT NULL,
    user_id bigint NOT NULL,
    endpoint text NOT NULL,
    public_key bytea NOT NULL,
    auth bytea NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    session_id bigint,
    failures integer DEFAULT 0 NOT NULL,
    failing_since timestamp(3) with time zone,
    paused_until timestamp(3) with time zone
);

ALTER TABLE push_subscriptions ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME push_subscriptions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE query_keys (
    term text NOT NULL,
    other text NOT NULL,
    query_id bigint NOT NULL
);

CREATE TABLE query_matches (
    query_id bigint NOT NULL,
    ad_id bigint NOT NULL,
    event_id bigint NOT NULL,
    at timestamp(3) with time zone DEFAULT now() NOT NULL,
    change_id bigint
);

CREATE UNLOGGED TABLE rate_limits (
    key text NOT NULL,
    due_at timestamp with time zone NOT NULL
);

CREATE TABLE ratings (
    id bigint NOT NULL,
    deal_id bigint NOT NULL,
    role text NOT NULL,
    author_id bigint,
    rated_id bigint,
    stars smallint NOT NULL,
    text text NOT NULL,
    at timestamp(3) with time zone DEFAULT now() NOT NULL,
    shown_at timestamp(3) with time zone,
    removed boolean DEFAULT false NOT NULL,
    answer text,
    answered_at timestamp(3) with time zone,
    CONSTRAINT ck_ratings_role CHECK ((role = ANY (ARRAY['buyer'::text, 'seller'::text]))),
    CONSTRAINT ck_ratings_stars CHECK (((stars >= 1) AND (stars <= 5)))
);

ALTER TABLE ratings ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME ratings_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE recovery_codes (
    user_id bigint NOT NULL,
    hash bytea NOT NULL
);

CREATE TABLE removed_comments (
    id bigint NOT NULL,
    ad_id bigint NOT NULL,
    author_id bigint NOT NULL,
    text text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    removed_at timestamp(3) with time zone DEFAULT now() NOT NULL
);

CREATE TABLE reports (
    id bigint NOT NULL,
    case_id bigint NOT NULL,
    reporter_id bigint,
    reason text NOT NULL,
    text text NOT NULL,
    at timestamp(3) with time zone DEFAULT now() NOT NULL,
    counts boolean DEFAULT false NOT NULL,
    snapshot jsonb
);

ALTER TABLE reports ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME reports_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE saved_queries (
    id bigint NOT NULL,
    query text NOT NULL,
    digest bytea NOT NULL,
    keyed_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    words tsquery,
    min_price bigint,
    max_price bigint,
    author bigint,
    created_after timestamp(3) with time zone,
    created_before timestamp(3) with time zone,
    type_of_price text,
    category text,
    circle double precision[],
    box double precision[],
    has_attributes boolean DEFAULT false NOT NULL
);

ALTER TABLE saved_queries ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME saved_queries_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE saved_searches (
    id bigint NOT NULL,
    user_id bigint NOT NULL,
    query_id bigint NOT NULL,
    name text NOT NULL,
    notify text DEFAULT 'daily'::text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    seen bigint NOT NULL,
    alerted bigint NOT NULL,
    alerted_at timestamp(3) with time zone,
    due_at timestamp(3) with time zone,
    opened_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    asked_at timestamp(3) with time zone,
    waiting_mail bigint,
    known bigint[] DEFAULT '{}'::bigint[] NOT NULL,
    notification_id bigint,
    unalerted bigint[] DEFAULT '{}'::bigint[] NOT NULL,
    CONSTRAINT ck_saved_searches_notify CHECK ((notify = ANY (ARRAY['never'::text, 'instant'::text, 'daily'::text, 'weekly'::text])))
);

ALTER TABLE saved_searches ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME saved_searches_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE search_phrases (
    phrase text NOT NULL,
    ads integer NOT NULL,
    authors integer NOT NULL,
    category_id bigint
);

CREATE TABLE sessions (
    id bigint NOT NULL,
    user_id bigint NOT NULL,
    handle_hash bytea NOT NULL,
    secret_hash bytea NOT NULL,
    client text NOT NULL,
    began_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    last_used_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    network_hash bytea,
    factor_at timestamp(3) with time zone
);

ALTER TABLE sessions ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME sessions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE sign_ins (
    id bigint NOT NULL,
    user_id bigint NOT NULL,
    network text NOT NULL,
    device text NOT NULL,
    last_used_at timestamp(3) with time zone DEFAULT now() NOT NULL
);

ALTER TABLE sign_ins ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME sign_ins_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE site_changes (
    id bigint NOT NULL,
    at timestamp(3) with time zone DEFAULT now() NOT NULL,
    actor text NOT NULL,
    before jsonb NOT NULL,
    after jsonb NOT NULL
);

ALTER TABLE site_changes ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME site_changes_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE text_totals (
    id bigint NOT NULL,
    owner_id bigint NOT NULL,
    bytes bigint NOT NULL
);

ALTER TABLE text_totals ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME text_totals_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE totps (
    user_id bigint NOT NULL,
    secret bytea,
    last_step bigint,
    pending bytea,
    set_at timestamp(3) with time zone,
    session_began_at timestamp with time zone
);

CREATE TABLE used_challenges (
    id text NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE users (
    id bigint NOT NULL,
    username text NOT NULL,
    username_key text NOT NULL,
    password_hash text NOT NULL,
    first_name text NOT NULL,
    last_name text NOT NULL,
    phone text NOT NULL,
    role character varying(9) NOT NULL,
    image text,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    mail text,
    mail_verified boolean DEFAULT false NOT NULL,
    mail_pending text,
    language text,
    suspended_until timestamp(3) with time zone,
    has_totp boolean DEFAULT false NOT NULL,
    has_passkey boolean DEFAULT false NOT NULL,
    plan text DEFAULT 'standard'::text NOT NULL,
    CONSTRAINT ck_users_role CHECK (((role)::text = ANY (ARRAY[('USER'::character varying)::text, ('ADMIN'::character varying)::text, ('MODERATOR'::character varying)::text])))
);

ALTER TABLE users ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME users_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE webhook_deliveries (
    id bigint NOT NULL,
    webhook_id bigint NOT NULL,
    event_id bigint NOT NULL,
    type text NOT NULL,
    body text NOT NULL,
    message_id uuid NOT NULL,
    status text DEFAULT 'pending'::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    next_at timestamp(3) with time zone,
    claimed_until timestamp(3) with time zone,
    last_status integer,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    ended_at timestamp(3) with time zone,
    attempted_at timestamp(3) with time zone,
    milliseconds integer,
    answer text,
    CONSTRAINT ck_webhook_deliveries_ck_webhook_deliveries_status CHECK ((status = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text])))
);

ALTER TABLE webhook_deliveries ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME webhook_deliveries_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE webhooks (
    id bigint NOT NULL,
    url text NOT NULL,
    types text[] NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    enabled boolean DEFAULT true NOT NULL,
    creator_id bigint,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    secret bytea NOT NULL,
    old_secret bytea,
    old_secret_until timestamp(3) with time zone,
    "position" bigint DEFAULT '0'::bigint NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    failing_since timestamp(3) with time zone,
    paused_until timestamp(3) with time zone,
    known bigint[] DEFAULT '{}'::bigint[] NOT NULL,
    owner_id bigint,
    begins_after bigint,
    disabled_at timestamp(3) with time zone,
    disabled_reason text
);

ALTER TABLE webhooks ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME webhooks_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

ALTER TABLE ONLY accepted_terms
    ADD CONSTRAINT pk_accepted_terms PRIMARY KEY (id);

ALTER TABLE ONLY ad_comment_totals
    ADD CONSTRAINT pk_ad_comment_totals PRIMARY KEY (ad_id);

ALTER TABLE ONLY ad_events
    ADD CONSTRAINT pk_ad_events PRIMARY KEY (id);

ALTER TABLE ONLY ad_images
    ADD CONSTRAINT pk_ad_images PRIMARY KEY (id);

ALTER TABLE ONLY ad_totals
    ADD CONSTRAINT pk_ad_totals PRIMARY KEY (slot);

ALTER TABLE ONLY ad_views
    ADD CONSTRAINT pk_ad_views PRIMARY KEY (ad_id, day);

ALTER TABLE ONLY ads
    ADD CONSTRAINT pk_ads PRIMARY KEY (id);

ALTER TABLE ONLY alerted_ads
    ADD CONSTRAINT pk_alerted_ads PRIMARY KEY (user_id, ad_id);

ALTER TABLE ONLY answer_figures
    ADD CONSTRAINT pk_answer_figures PRIMARY KEY (user_id);

ALTER TABLE ONLY audit_events
    ADD CONSTRAINT pk_audit_events PRIMARY KEY (id);

ALTER TABLE ONLY author_ad_totals
    ADD CONSTRAINT pk_author_ad_totals PRIMARY KEY (author_id);

ALTER TABLE ONLY blocks
    ADD CONSTRAINT pk_blocks PRIMARY KEY (owner_id, blocked_id);

ALTER TABLE ONLY cases
    ADD CONSTRAINT pk_cases PRIMARY KEY (id);

ALTER TABLE ONLY categories
    ADD CONSTRAINT pk_categories PRIMARY KEY (id);

ALTER TABLE ONLY category_ad_totals
    ADD CONSTRAINT pk_category_ad_totals PRIMARY KEY (category_id, slot);

ALTER TABLE ONLY category_words
    ADD CONSTRAINT pk_category_words PRIMARY KEY (category_id);

ALTER TABLE ONLY changed_ads
    ADD CONSTRAINT pk_changed_ads PRIMARY KEY (id);

ALTER TABLE ONLY changes
    ADD CONSTRAINT pk_changes PRIMARY KEY (id);

ALTER TABLE ONLY comments
    ADD CONSTRAINT pk_comments PRIMARY KEY (id);

ALTER TABLE ONLY consumers
    ADD CONSTRAINT pk_consumers PRIMARY KEY (name);

ALTER TABLE ONLY contacts
    ADD CONSTRAINT pk_contacts PRIMARY KEY (ad_id, user_id);

ALTER TABLE ONLY conversations
    ADD CONSTRAINT pk_conversations PRIMARY KEY (id);

ALTER TABLE ONLY deals
    ADD CONSTRAINT pk_deals PRIMARY KEY (id);

ALTER TABLE ONLY decisions
    ADD CONSTRAINT pk_decisions PRIMARY KEY (id);

ALTER TABLE ONLY deleted_rows
    ADD CONSTRAINT pk_deleted_rows PRIMARY KEY (id);

ALTER TABLE ONLY deletions
    ADD CONSTRAINT pk_deletions PRIMARY KEY (id);

ALTER TABLE ONLY digested_notices
    ADD CONSTRAINT pk_digested_notices PRIMARY KEY (entry_id);

ALTER TABLE ONLY event_batches
    ADD CONSTRAINT pk_event_batches PRIMARY KEY (id);

ALTER TABLE ONLY event_log
    ADD CONSTRAINT pk_event_log PRIMARY KEY (single);

ALTER TABLE ONLY events
    ADD CONSTRAINT pk_events PRIMARY KEY (id, day);

ALTER TABLE ONLY fan_outs
    ADD CONSTRAINT pk_fan_outs PRIMARY KEY (id);

ALTER TABLE ONLY favorite_totals
    ADD CONSTRAINT pk_favorite_totals PRIMARY KEY (ad_id);

ALTER TABLE ONLY favorites
    ADD CONSTRAINT pk_favorites PRIMARY KEY (id);

ALTER TABLE ONLY hidden_pictures
    ADD CONSTRAINT pk_hidden_pictures PRIMARY KEY (name);

ALTER TABLE ONLY idempotency_keys
    ADD CONSTRAINT pk_idempotency_keys PRIMARY KEY (id);

ALTER TABLE ONLY identities
    ADD CONSTRAINT pk_identities PRIMARY KEY (id);

ALTER TABLE ONLY image_totals
    ADD CONSTRAINT pk_image_totals PRIMARY KEY (owner_id);

ALTER TABLE ONLY images
    ADD CONSTRAINT pk_images PRIMARY KEY (name);

ALTER TABLE ONLY import_rows
    ADD CONSTRAINT pk_import_rows PRIMARY KEY (id);

ALTER TABLE ONLY imported_ads
    ADD CONSTRAINT pk_imported_ads PRIMARY KEY (ad_id);

ALTER TABLE ONLY imports
    ADD CONSTRAINT pk_imports PRIMARY KEY (id);

ALTER TABLE ONLY installation
    ADD CONSTRAINT pk_installation PRIMARY KEY (single);

ALTER TABLE ONLY invitations
    ADD CONSTRAINT pk_invitations PRIMARY KEY (id);

ALTER TABLE ONLY jobs
    ADD CONSTRAINT pk_jobs PRIMARY KEY (name);

ALTER TABLE ONLY keys
    ADD CONSTRAINT pk_keys PRIMARY KEY (id);

ALTER TABLE ONLY mail_attempts
    ADD CONSTRAINT pk_mail_attempts PRIMARY KEY (id);

ALTER TABLE ONLY mail_tokens
    ADD CONSTRAINT pk_mail_tokens PRIMARY KEY (hash);

ALTER TABLE ONLY matched_queries
    ADD CONSTRAINT pk_matched_queries PRIMARY KEY (query_id);

ALTER TABLE ONLY messages
    ADD CONSTRAINT pk_messages PRIMARY KEY (id);

ALTER TABLE ONLY notice_mails
    ADD CONSTRAINT pk_notice_mails PRIMARY KEY (user_id);

ALTER TABLE ONLY notice_paces
    ADD CONSTRAINT pk_notice_paces PRIMARY KEY (user_id);

ALTER TABLE ONLY notifications
    ADD CONSTRAINT pk_notifications PRIMARY KEY (id);

ALTER TABLE ONLY offers
    ADD CONSTRAINT pk_offers PRIMARY KEY (id);

ALTER TABLE ONLY outbox
    ADD CONSTRAINT pk_outbox PRIMARY KEY (id);

ALTER TABLE ONLY passkeys
    ADD CONSTRAINT pk_passkeys PRIMARY KEY (id);

ALTER TABLE ONLY picture_deletions
    ADD CONSTRAINT pk_picture_deletions PRIMARY KEY (name);

ALTER TABLE ONLY place_keys
    ADD CONSTRAINT pk_place_keys PRIMARY KEY (place_id, key);

ALTER TABLE ONLY place_sources
    ADD CONSTRAINT pk_place_sources PRIMARY KEY (country);

ALTER TABLE ONLY places
    ADD CONSTRAINT pk_places PRIMARY KEY (id);

ALTER TABLE ONLY preferences
    ADD CONSTRAINT pk_preferences PRIMARY KEY (user_id);

ALTER TABLE ONLY price_changes
    ADD CONSTRAINT pk_price_changes PRIMARY KEY (event_id);

ALTER TABLE ONLY providers
    ADD CONSTRAINT pk_providers PRIMARY KEY (id);

ALTER TABLE ONLY push_messages
    ADD CONSTRAINT pk_push_messages PRIMARY KEY (id);

ALTER TABLE ONLY push_subscriptions
    ADD CONSTRAINT pk_push_subscriptions PRIMARY KEY (id);

ALTER TABLE ONLY query_keys
    ADD CONSTRAINT pk_query_keys PRIMARY KEY (term, other, query_id);

ALTER TABLE ONLY query_matches
    ADD CONSTRAINT pk_query_matches PRIMARY KEY (query_id, ad_id);

ALTER TABLE ONLY rate_limits
    ADD CONSTRAINT pk_rate_limits PRIMARY KEY (key);

ALTER TABLE ONLY ratings
    ADD CONSTRAINT pk_ratings PRIMARY KEY (id);

ALTER TABLE ONLY recovery_codes
    ADD CONSTRAINT pk_recovery_codes PRIMARY KEY (user_id, hash);

ALTER TABLE ONLY removed_comments
    ADD CONSTRAINT pk_removed_comments PRIMARY KEY (id);

ALTER TABLE ONLY reports
    ADD CONSTRAINT pk_reports PRIMARY KEY (id);

ALTER TABLE ONLY saved_queries
    ADD CONSTRAINT pk_saved_queries PRIMARY KEY (id);

ALTER TABLE ONLY saved_searches
    ADD CONSTRAINT pk_saved_searches PRIMARY KEY (id);

ALTER TABLE ONLY search_phrases
    ADD CONSTRAINT pk_search_phrases PRIMARY KEY (phrase);

ALTER TABLE ONLY sessions
    ADD CONSTRAINT pk_sessions PRIMARY KEY (id);

ALTER TABLE ONLY sign_ins
    ADD CONSTRAINT pk_sign_ins PRIMARY KEY (id);

ALTER TABLE ONLY site_changes
    ADD CONSTRAINT pk_site_changes PRIMARY KEY (id);

ALTER TABLE ONLY text_totals
    ADD CONSTRAINT pk_text_totals PRIMARY KEY (id);

ALTER TABLE ONLY totps
    ADD CONSTRAINT pk_totps PRIMARY KEY (user_id);

ALTER TABLE ONLY used_challenges
    ADD CONSTRAINT pk_used_challenges PRIMARY KEY (id);

ALTER TABLE ONLY users
    ADD CONSTRAINT pk_users PRIMARY KEY (id);

ALTER TABLE ONLY webhook_deliveries
    ADD CONSTRAINT pk_webhook_deliveries PRIMARY KEY (id);

ALTER TABLE ONLY webhooks
    ADD CONSTRAINT pk_webhooks PRIMARY KEY (id);

ALTER TABLE ONLY accepted_terms
    ADD CONSTRAINT uq_accepted_terms_user_id_page_version UNIQUE (user_id, page, version);

ALTER TABLE ONLY ad_images
    ADD CONSTRAINT uq_ad_images_ad_id_position UNIQUE (ad_id, "position") DEFERRABLE;

ALTER TABLE ONLY cases
    ADD CONSTRAINT uq_cases_kind_target_id UNIQUE (kind, target_id);

ALTER TABLE ONLY categories
    ADD CONSTRAINT uq_categories_slug UNIQUE (slug);

ALTER TABLE ONLY conversations
    ADD CONSTRAINT uq_conversations_ad_id_buyer_id UNIQUE (ad_id, buyer_id);

ALTER TABLE ONLY deals
    ADD CONSTRAINT uq_deals_ad_id UNIQUE (ad_id);

ALTER TABLE ONLY favorites
    ADD CONSTRAINT uq_favorites_user_id_ad_id UNIQUE (user_id, ad_id);

ALTER TABLE ONLY hidden_pictures
    ADD CONSTRAINT uq_hidden_pictures_stem UNIQUE (stem);

ALTER TABLE ONLY identities
    ADD CONSTRAINT uq_identities_issuer_subject UNIQUE (issuer, subject);

ALTER TABLE ONLY invitations
    ADD CONSTRAINT uq_invitations_hash UNIQUE (hash);

ALTER TABLE ONLY keys
    ADD CONSTRAINT uq_keys_hash UNIQUE (hash);

ALTER TABLE ONLY passkeys
    ADD CONSTRAINT uq_passkeys_credential_id UNIQUE (credential_id);

ALTER TABLE ONLY providers
    ADD CONSTRAINT uq_providers_issuer UNIQUE (issuer);

ALTER TABLE ONLY providers
    ADD CONSTRAINT uq_providers_slug UNIQUE (slug);

ALTER TABLE ONLY push_subscriptions
    ADD CONSTRAINT uq_push_subscriptions_endpoint UNIQUE (endpoint);

ALTER TABLE ONLY ratings
    ADD CONSTRAINT uq_ratings_deal_id_role UNIQUE (deal_id, role);

ALTER TABLE ONLY reports
    ADD CONSTRAINT uq_reports_case_id_reporter_id UNIQUE (case_id, reporter_id);

ALTER TABLE ONLY saved_queries
    ADD CONSTRAINT uq_saved_queries_digest UNIQUE (digest);

ALTER TABLE ONLY saved_searches
    ADD CONSTRAINT uq_saved_searches_user_id_query_id UNIQUE (user_id, query_id);

ALTER TABLE ONLY sessions
    ADD CONSTRAINT uq_sessions_handle_hash UNIQUE (handle_hash);

ALTER TABLE ONLY sign_ins
    ADD CONSTRAINT uq_sign_ins_user_id_network_device UNIQUE (user_id, network, device);

ALTER TABLE ONLY users
    ADD CONSTRAINT uq_users_username_key UNIQUE (username_key);

CREATE INDEX ix_ad_events_actor_id ON ad_events USING btree (actor_id) WHERE (actor_id IS NOT NULL);

CREATE INDEX ix_ad_events_ad_id_id ON ad_events USING btree (ad_id, id);

CREATE INDEX ix_ad_images_name ON ad_images USING btree (name);

CREATE INDEX ix_ad_images_without_share ON ad_images USING btree (id) WHERE (NOT has_share);

CREATE UNIQUE INDEX ix_ads_author_id_external_id ON ads USING btree (author_id, external_id) WHERE (external_id IS NOT NULL);

CREATE INDEX ix_ads_author_id_id ON ads USING btree (author_id, id);

CREATE INDEX ix_ads_category_id_id ON ads USING btree (category_id, id);

CREATE INDEX ix_ads_created_at_id ON ads USING btree (created_at, id);

CREATE INDEX ix_ads_expires_at ON ads USING btree (expires_at) WHERE (status = ANY (ARRAY['active'::text, 'reserved'::text]));

CREATE INDEX ix_ads_hidden_author_id_status ON ads USING btree (author_id, status) WHERE (status <> ALL (ARRAY['active'::text, 'reserved'::text]));

CREATE INDEX ix_ads_image ON ads USING btree (image);

CREATE INDEX ix_ads_price_id ON ads USING btree (price, id);

CREATE INDEX ix_ads_public_point ON ads USING btree (((floor((public_latitude * (20)::double precision)))::integer), public_longitude, id) INCLUDE (public_latitude, expires_at) WHERE ((status = ANY (ARRAY['active'::text, 'reserved'::text])) AND (public_latitude IS NOT NULL));

CREATE INDEX ix_ads_removed ON ads USING btree (id) WHERE (status = 'removed'::text);

CREATE INDEX ix_ads_search ON ads USING gin (search) WITH (gin_pending_list_limit='256');

CREATE INDEX ix_ads_shown_author_id_counted ON ads USING btree (author_id, id) INCLUDE (status, expires_at) WHERE (status = ANY (ARRAY['active'::text, 'reserved'::text]));

CREATE INDEX ix_ads_shown_created_at_id ON ads USING btree (created_at, id) INCLUDE (expires_at) WHERE (status = ANY (ARRAY['active'::text, 'reserved'::text]));

CREATE INDEX ix_ads_shown_id ON ads USING btree (id) INCLUDE (expires_at) WHERE (status = ANY (ARRAY['active'::text, 'reserved'::text]));

CREATE INDEX ix_ads_shown_price_or_highest_id ON ads USING btree ((
CASE
    WHEN (price_type = 'onRequest'::text) THEN '2147483648'::bigint
    ELSE (price)::bigint
END), id) INCLUDE (expires_at) WHERE (status = ANY (ARRAY['active'::text, 'reserved'::text]));

CREATE INDEX ix_ads_shown_price_or_lowest_id ON ads USING btree ((
CASE
    WHEN (price_type = 'onRequest'::text) THEN '-1'::bigint
    ELSE (price)::bigint
END), id) INCLUDE (expires_at) WHERE (status = ANY (ARRAY['active'::text, 'reserved'::text]));

CREATE INDEX ix_ads_status_id ON ads USING btree (status, id) WHERE (status <> 'active'::text);

CREATE INDEX ix_ads_title_search ON ads USING gin (title_search) WITH (gin_pending_list_limit='256');

CREATE INDEX ix_ads_unfinished_author_id_id ON ads USING btree (author_id, id) WHERE ((status = 'draft'::text) OR ((status = 'withdrawn'::text) AND ((title = ''::text) OR (description = ''::text) OR (image = ''::text) OR (NOT is_priced))));

CREATE INDEX ix_alerted_ads_at ON alerted_ads USING btree (at);

CREATE INDEX ix_audit_events_actor_at_id ON audit_events USING btree (actor, at, id);

CREATE INDEX ix_audit_events_ad_id_at_id ON audit_events USING btree (ad_id, at, id) WHERE (ad_id IS NOT NULL);

CREATE INDEX ix_audit_events_at_id ON audit_events USING btree (at, id);

CREATE INDEX ix_audit_events_event_at_id ON audit_events USING btree (event, at, id);

CREATE INDEX ix_audit_events_owner_id_at_id ON audit_events USING btree (owner_id, at, id) WHERE (owner_id IS NOT NULL);

CREATE INDEX ix_blocks_blocked_id ON blocks USING btree (blocked_id);

CREATE INDEX ix_cases_author_id ON cases USING btree (author_id);

CREATE INDEX ix_cases_changed_at ON cases USING btree (changed_at);

CREATE INDEX ix_cases_queue ON cases USING btree (status, ((- reports)), id);

CREATE INDEX ix_categories_parent_id ON categories USING btree (parent_id);

CREATE INDEX ix_category_words_pending ON category_words USING btree (category_id) WHERE (reworded IS NOT NULL);

CREATE INDEX ix_changed_ads_ad_id_id ON changed_ads USING btree (ad_id, id);

CREATE INDEX ix_changed_ads_at ON changed_ads USING btree (at);

CREATE INDEX ix_changes_xid ON changes USING btree (xid);

CREATE INDEX ix_comments_ad_id_id ON comments USING btree (ad_id, id);

CREATE INDEX ix_comments_author_id ON comments USING btree (author_id);

CREATE INDEX ix_contacts_user_id_ad_id ON contacts USING btree (user_id, ad_id);

CREATE INDEX ix_conversations_buyer_id_id ON conversations USING btree (buyer_id, id);

CREATE INDEX ix_conversations_mail_due_to_buyer ON conversations USING btree (buyer_mail_due) WHERE (buyer_mail_due IS NOT NULL);

CREATE INDEX ix_conversations_mail_due_to_seller ON conversations USING btree (seller_mail_due) WHERE (seller_mail_due IS NOT NULL);

CREATE INDEX ix_conversations_of_buyer ON conversations USING btree (buyer_id, buyer_last) WHERE (NOT buyer_hidden);

CREATE INDEX ix_conversations_of_seller ON conversations USING btree (seller_id, seller_last) WHERE (NOT seller_hidden);

CREATE INDEX ix_conversations_seller_id_id ON conversations USING btree (seller_id, id);

CREATE INDEX ix_conversations_unread_by_buyer ON conversations USING btree (buyer_id, buyer_last) INCLUDE (buyer_unread) WHERE ((buyer_unread > 0) AND (NOT buyer_hidden));

CREATE INDEX ix_conversations_unread_by_seller ON conversations USING btree (seller_id, seller_last) INCLUDE (seller_unread) WHERE ((seller_unread > 0) AND (NOT seller_hidden));

CREATE INDEX ix_conversations_updated_at ON conversations USING btree (updated_at);

CREATE INDEX ix_conversations_without_parties ON conversations USING btree (id) WHERE ((buyer_id IS NULL) AND (seller_id IS NULL));

CREATE INDEX ix_deals_buyer_id_id ON deals USING btree (buyer_id, id);

CREATE INDEX ix_deals_reminders ON deals USING btree (at) WHERE (NOT reminded);

CREATE INDEX ix_deals_seller_id_id ON deals USING btree (seller_id, id);

CREATE INDEX ix_decisions_actor_id ON decisions USING btree (actor_id) WHERE (actor_id IS NOT NULL);

CREATE INDEX ix_decisions_case_id ON decisions USING btree (case_id);

CREATE INDEX ix_decisions_undoes_id ON decisions USING btree (undoes_id);

CREATE INDEX ix_decisions_user_id_id ON decisions USING btree (user_id, id);

CREATE INDEX ix_deleted_rows_deletion_id_place ON deleted_rows USING btree (deletion_id, place);

CREATE INDEX ix_deletions_ends_at ON deletions USING btree (ends_at);

CREATE INDEX ix_deletions_owner_id ON deletions USING btree (owner_id);

CREATE INDEX ix_digested_notices_user_id_entry_id ON digested_notices USING btree (user_id, entry_id);

CREATE INDEX ix_fan_outs_ad_id_type_at ON fan_outs USING btree (ad_id, type, at);

CREATE INDEX ix_fan_outs_ended ON fan_outs USING btree (ended_at) WHERE (ended_at IS NOT NULL);

CREATE INDEX ix_fan_outs_pending ON fan_outs USING btree (id) WHERE (ended_at IS NULL);

CREATE INDEX ix_favorites_ad_id_id ON favorites USING btree (ad_id, id);

CREATE INDEX ix_favorites_user_id_id ON favorites USING btree (user_id, id);

CREATE INDEX ix_hidden_pictures_deletion_id ON hidden_pictures USING btree (deletion_id);

CREATE INDEX ix_hidden_pictures_pending ON hidden_pictures USING btree (name) WHERE is_pending;

CREATE INDEX ix_idempotency_keys_expires_at ON idempotency_keys USING btree (expires_at);

CREATE INDEX ix_idempotency_keys_user_id ON idempotency_keys USING btree (user_id);

CREATE INDEX ix_identities_user_id ON identities USING btree (user_id);

CREATE INDEX ix_images_owner_id ON images USING btree (owner_id);

CREATE INDEX ix_import_rows_claimed ON import_rows USING btree (import_id) WHERE (claimed_until IS NOT NULL);

CREATE INDEX ix_import_rows_due ON import_rows USING btree (import_id, next_at, number) WHERE (status = 'pending'::text);

CREATE INDEX ix_import_rows_import_id_status_number ON import_rows USING btree (import_id, status, number);

CREATE INDEX ix_imports_ended_at ON imports USING btree (ended_at) WHERE (ended_at IS NOT NULL);

CREATE INDEX ix_imports_owner_id ON imports USING btree (owner_id);

CREATE INDEX ix_imports_running ON imports USING btree (id) WHERE (status = 'running'::text);

CREATE INDEX ix_keys_user_id ON keys USING btree (user_id);

CREATE INDEX ix_mail_attempts_user_id_id ON mail_attempts USING btree (user_id, id);

CREATE INDEX ix_mail_tokens_expires_at ON mail_tokens USING btree (expires_at);

CREATE INDEX ix_mail_tokens_user_id ON mail_tokens USING btree (user_id);

CREATE INDEX ix_messages_author_id_id ON messages USING btree (author_id, id);

CREATE INDEX ix_messages_conversation_id_id ON messages USING btree (conversation_id, id);

CREATE INDEX ix_messages_digest ON messages USING btree (author_id, digest) WHERE (digest IS NOT NULL);

CREATE INDEX ix_messages_offer_id ON messages USING btree (offer_id) WHERE (offer_id IS NOT NULL);

CREATE INDEX ix_notifications_at ON notifications USING btree (at);

CREATE INDEX ix_notifications_of_conversations ON notifications USING btree (conversation_id) WHERE ((conversation_id IS NOT NULL) AND (NOT read));

CREATE INDEX ix_notifications_revised ON notifications USING btree (user_id, revision) WHERE (revision IS NOT NULL);

CREATE INDEX ix_notifications_unread ON notifications USING btree (user_id, id) WHERE (NOT read);

CREATE INDEX ix_notifications_user_id_id ON notifications USING btree (user_id, id);

CREATE INDEX ix_offers_conversation_id_id ON offers USING btree (conversation_id, id);

CREATE INDEX ix_offers_expires_at ON offers USING btree (expires_at) WHERE (status = 'open'::text);

CREATE INDEX ix_outbox_dead ON outbox USING btree (dead_at, id) WHERE (dead_at IS NOT NULL);

CREATE INDEX ix_outbox_due ON outbox USING btree (not_before, id) WHERE (dead_at IS NULL);

CREATE INDEX ix_passkeys_user_id ON passkeys USING btree (user_id);

CREATE INDEX ix_place_keys_beginning ON place_keys USING btree ("left"(key, 2), weight DESC) INCLUDE (place_id, key);

CREATE INDEX ix_place_keys_cell_key ON place_keys USING btree (cell, key) INCLUDE (place_id, weight);

CREATE INDEX ix_place_keys_key ON place_keys USING btree (key, weight DESC) INCLUDE (place_id);

CREATE INDEX ix_places_cell ON places USING btree (cell);

CREATE INDEX ix_places_country ON places USING btree (country);

CREATE INDEX ix_price_changes_ad_id_at ON price_changes USING btree (ad_id, at);

CREATE INDEX ix_price_changes_at ON price_changes USING btree (at);

CREATE INDEX ix_push_messages_claimed_until ON push_messages USING btree (claimed_until) WHERE (claimed_until IS NOT NULL);

CREATE INDEX ix_push_messages_not_before_id ON push_messages USING btree (not_before, id);

CREATE INDEX ix_push_subscriptions_session_id ON push_subscriptions USING btree (session_id);

CREATE INDEX ix_push_subscriptions_user_id_id ON push_subscriptions USING btree (user_id, id);

CREATE INDEX ix_query_keys_other ON query_keys USING btree (other) WHERE (other <> ''::text);

CREATE INDEX ix_query_keys_query_id ON query_keys USING btree (query_id);

CREATE INDEX ix_query_matches_at ON query_matches USING btree (at);

CREATE INDEX ix_query_matches_query_id_event_id ON query_matches USING btree (query_id, event_id);

CREATE INDEX ix_rate_limits_due_at ON rate_limits USING btree (due_at);

CREATE INDEX ix_ratings_author_id ON ratings USING btree (author_id);

CREATE INDEX ix_ratings_hidden ON ratings USING btree (id) WHERE (shown_at IS NULL);

CREATE INDEX ix_ratings_rated_id ON ratings USING btree (rated_id);

CREATE INDEX ix_ratings_shown ON ratings USING btree (rated_id, id) INCLUDE (stars) WHERE ((shown_at IS NOT NULL) AND (NOT removed));

CREATE INDEX ix_removed_comments_ad_id ON removed_comments USING btree (ad_id);

CREATE INDEX ix_removed_comments_author_id ON removed_comments USING btree (author_id);

CREATE INDEX ix_removed_comments_removed_at ON removed_comments USING btree (removed_at);

CREATE INDEX ix_reports_reporter_id ON reports USING btree (reporter_id);

CREATE INDEX ix_saved_queries_keyed_at ON saved_queries USING btree (keyed_at);

CREATE INDEX ix_saved_searches_due ON saved_searches USING btree (due_at) WHERE (due_at IS NOT NULL);

CREATE INDEX ix_saved_searches_not_due ON saved_searches USING btree (query_id) WHERE ((due_at IS NULL) AND (notify <> 'never'::text));

CREATE INDEX ix_saved_searches_query_id ON saved_searches USING btree (query_id);

CREATE INDEX ix_sessions_user_id ON sessions USING btree (user_id);

CREATE INDEX ix_sign_ins_last_used_at ON sign_ins USING btree (last_used_at);

CREATE INDEX ix_text_totals_owner_id ON text_totals USING btree (owner_id);

CREATE INDEX ix_used_challenges_expires_at ON used_challenges USING btree (expires_at);

CREATE INDEX ix_users_bcrypt_cost ON users USING btree (substr(password_hash, 5, 2)) WHERE (password_hash ~ '^\$2[abxy]\$(0[4-9]|1[0-4])\$'::text);

CREATE INDEX ix_users_image ON users USING btree (image);

CREATE INDEX ix_users_suspended_until ON users USING btree (suspended_until) WHERE (suspended_until IS NOT NULL);

CREATE INDEX ix_users_username_key_pattern ON users USING btree (username_key text_pattern_ops);

CREATE INDEX ix_webhook_deliveries_claimed ON webhook_deliveries USING btree (webhook_id) WHERE (claimed_until IS NOT NULL);

CREATE INDEX ix_webhook_deliveries_due ON webhook_deliveries USING btree (webhook_id, next_at, id) WHERE (status = 'pending'::text);

CREATE INDEX ix_webhook_deliveries_ended ON webhook_deliveries USING btree (ended_at, id) WHERE (ended_at IS NOT NULL);

CREATE INDEX ix_webhook_deliveries_failed ON webhook_deliveries USING btree (webhook_id, id) WHERE (status = 'failed'::text);

CREATE INDEX ix_webhook_deliveries_webhook_id_id ON webhook_deliveries USING btree (webhook_id, id);

CREATE INDEX ix_webhooks_creator_id ON webhooks USING btree (creator_id);

CREATE INDEX ix_webhooks_owner_id ON webhooks USING btree (owner_id);

CREATE UNIQUE INDEX uq_imports_under_way ON imports USING btree (owner_id) WHERE (status = ANY (ARRAY['running'::text, 'waiting'::text]));

CREATE UNIQUE INDEX uq_offers_open ON offers USING btree (conversation_id) WHERE (status = 'open'::text);

CREATE UNIQUE INDEX uq_push_messages_subscription_id_tag ON push_messages USING btree (subscription_id, tag);

CREATE UNIQUE INDEX uq_webhook_deliveries_event ON webhook_deliveries USING btree (webhook_id, event_id) WHERE (event_id > 0);

CREATE STATISTICS ads_price_or_highest ON (CASE WHEN price_type = 'onRequest'::text THEN '2147483648'::bigint ELSE price::bigint END) FROM ads;

CREATE TRIGGER add_ad_images AFTER INSERT ON ads REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION add_ad_images();

CREATE TRIGGER count_changed_text AFTER UPDATE OF title, description, place, attributes ON ads FOR EACH ROW WHEN (((((COALESCE(octet_length(new.title), 0) + COALESCE(octet_length(new.description), 0)) + COALESCE(octet_length(new.place), 0)) + COALESCE(octet_length((new.attributes)::text), 0)) <> (((COALESCE(octet_length(old.title), 0) + COALESCE(octet_length(old.description), 0)) + COALESCE(octet_length(old.place), 0)) + COALESCE(octet_length((old.attributes)::text), 0)))) EXECUTE FUNCTION count_changed_text_of_ads();

CREATE TRIGGER count_changed_text AFTER UPDATE OF text ON comments FOR EACH ROW WHEN ((COALESCE(octet_length(new.text), 0) <> COALESCE(octet_length(old.text), 0))) EXECUTE FUNCTION count_changed_text_of_comments();

CREATE TRIGGER count_changed_text AFTER UPDATE OF text ON messages FOR EACH ROW WHEN ((COALESCE(octet_length(new.text), 0) <> COALESCE(octet_length(old.text), 0))) EXECUTE FUNCTION count_changed_text_of_messages();

CREATE TRIGGER count_favorites_delete AFTER DELETE ON favorites REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_favorites();

CREATE TRIGGER count_favorites_insert AFTER INSERT ON favorites REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_favorites();

CREATE TRIGGER count_text_on_delete AFTER DELETE ON ads REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_text_of_ads();

CREATE TRIGGER count_text_on_delete AFTER DELETE ON comments REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_text_of_comments();

CREATE TRIGGER count_text_on_delete AFTER DELETE ON messages REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_text_of_messages();

CREATE TRIGGER count_text_on_delete AFTER DELETE ON removed_comments REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_text_of_removed_comments();

CREATE TRIGGER count_text_on_delete AFTER DELETE ON reports REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_text_of_reports();

CREATE TRIGGER count_text_on_insert AFTER INSERT ON ads REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_text_of_ads();

CREATE TRIGGER count_text_on_insert AFTER INSERT ON comments REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_text_of_comments();

CREATE TRIGGER count_text_on_insert AFTER INSERT ON messages REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_text_of_messages();

CREATE TRIGGER count_text_on_insert AFTER INSERT ON removed_comments REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_text_of_removed_comments();

CREATE TRIGGER count_text_on_insert AFTER INSERT ON reports REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_text_of_reports();

CREATE TRIGGER drop_thumbnail BEFORE UPDATE OF image ON ads FOR EACH ROW WHEN (((old.image <> new.image) AND (old.thumbnail = new.thumbnail))) EXECUTE FUNCTION drop_thumbnail();

CREATE TRIGGER forget_text AFTER DELETE ON users REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_text();

CREATE TRIGGER hide_with_author_on_insert BEFORE INSERT ON ads FOR EACH ROW WHEN ((new.status = ANY (ARRAY['active'::text, 'reserved'::text]))) EXECUTE FUNCTION hide_with_author();

CREATE TRIGGER hide_with_author_on_update BEFORE UPDATE ON ads FOR EACH ROW WHEN (((new.status = ANY (ARRAY['active'::text, 'reserved'::text])) AND (NOT (old.status = ANY (ARRAY['active'::text, 'reserved'::text]))))) EXECUTE FUNCTION hide_with_author();

CREATE TRIGGER hold_repeated_text BEFORE INSERT ON messages FOR EACH ROW WHEN ((new.digest IS NOT NULL)) EXECUTE FUNCTION hold_repeated_text();

CREATE TRIGGER index_ad_on_insert BEFORE INSERT ON ads FOR EACH ROW EXECUTE FUNCTION index_ad();

CREATE TRIGGER index_ad_on_update BEFORE UPDATE ON ads FOR EACH ROW WHEN (((old.title IS DISTINCT FROM new.title) OR (old.description IS DISTINCT FROM new.description) OR (old.attribute_words IS DISTINCT FROM new.attribute_words) OR (old.category_id IS DISTINCT FROM new.category_id) OR (old.attributes IS DISTINCT FROM new.attributes) OR (old.price_type IS DISTINCT FROM new.price_type) OR ((old.price <> new.price) AND ((new.category_id IS NOT NULL) OR (new.attributes <> '{}'::jsonb))) OR ((old.status = ANY (ARRAY['active'::text, 'reserved'::text])) <> (new.status = ANY (ARRAY['active'::text, 'reserved'::text]))))) EXECUTE FUNCTION index_ad();

CREATE TRIGGER index_category AFTER INSERT OR UPDATE OF name, names, synonyms, parent_id ON categories FOR EACH ROW EXECUTE FUNCTION index_category();

CREATE TRIGGER index_category_words BEFORE INSERT OR UPDATE OF names, words ON category_words FOR EACH ROW EXECUTE FUNCTION index_category_words();

CREATE TRIGGER keep_changed AFTER UPDATE ON ads FOR EACH ROW WHEN (((old.status = ANY (ARRAY['active'::text, 'reserved'::text])) AND (new.status = ANY (ARRAY['active'::text, 'reserved'::text])) AND ((old.title IS DISTINCT FROM new.title) OR (old.description IS DISTINCT FROM new.description) OR (old.attribute_words IS DISTINCT FROM new.attribute_words) OR (old.price IS DISTINCT FROM new.price) OR (old.price_type IS DISTINCT FROM new.price_type) OR (old.category_id IS DISTINCT FROM new.category_id) OR (old.attributes IS DISTINCT FROM new.attributes) OR (old.public_latitude IS DISTINCT FROM new.public_latitude) OR (old.public_longitude IS DISTINCT FROM new.public_longitude) OR (old.created_at IS DISTINCT FROM new.created_at) OR (old.expires_at IS DISTINCT FROM new.expires_at)))) EXECUTE FUNCTION keep_changed_ad();

CREATE TRIGGER keep_price_before BEFORE UPDATE OF price, price_type ON ads FOR EACH ROW WHEN ((((old.price <> new.price) OR ((old.price_type = 'onRequest'::text) <> (new.price_type = 'onRequest'::text))) AND (old.status <> 'draft'::text))) EXECUTE FUNCTION keep_price_before();

CREATE TRIGGER keep_totals_of_status AFTER UPDATE ON ads FOR EACH ROW WHEN (((old.status = ANY (ARRAY['active'::text, 'reserved'::text])) IS DISTINCT FROM (new.status = ANY (ARRAY['active'::text, 'reserved'::text])))) EXECUTE FUNCTION keep_ad_totals_of_status();

CREATE TRIGGER keep_totals_on_delete AFTER DELETE ON ads REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION keep_ad_totals();

CREATE TRIGGER keep_totals_on_delete AFTER DELETE ON comments REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION keep_comment_totals();

CREATE TRIGGER keep_totals_on_delete AFTER DELETE ON images REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION keep_image_totals();

CREATE TRIGGER keep_totals_on_delete_by_category AFTER DELETE ON ads REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION keep_category_ad_totals();

CREATE TRIGGER keep_totals_on_insert AFTER INSERT ON ads REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION keep_ad_totals();

CREATE TRIGGER keep_totals_on_insert AFTER INSERT ON comments REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION keep_comment_totals();

CREATE TRIGGER keep_totals_on_insert AFTER INSERT ON images REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION keep_image_totals();

CREATE TRIGGER keep_totals_on_insert_by_category AFTER INSERT ON ads REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION keep_category_ad_totals();

CREATE TRIGGER log_comments_delete AFTER DELETE ON comments REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION log_comments_delete();

CREATE TRIGGER log_comments_insert AFTER INSERT ON comments REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION log_comments_insert();

CREATE TRIGGER log_decisions_insert AFTER INSERT ON decisions REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION log_decisions_insert();

CREATE TRIGGER log_messages AFTER INSERT ON messages REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION log_messages();

CREATE TRIGGER log_ratings_insert AFTER INSERT ON ratings REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION log_ratings_insert();

CREATE TRIGGER log_ratings_update AFTER UPDATE ON ratings REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION log_ratings_update();

CREATE TRIGGER log_released_messages AFTER UPDATE ON messages REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION log_released_messages();

CREATE TRIGGER log_reports_insert AFTER INSERT ON reports REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION log_reports_insert();

CREATE TRIGGER log_users_insert AFTER INSERT ON users REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION log_users_insert();

CREATE TRIGGER look_again AFTER UPDATE ON ads FOR EACH ROW WHEN (((old.status = 'suspended'::text) AND (new.status = 'suspended'::text) AND (NOT new.hidden_with_author) AND (old.updated_at <> new.updated_at))) EXECUTE FUNCTION look_again();

CREATE TRIGGER move_category_totals AFTER UPDATE ON ads FOR EACH ROW WHEN ((((old.category_id IS NOT NULL) OR (new.category_id IS NOT NULL)) AND ((old.category_id IS DISTINCT FROM new.category_id) OR (old.status IS DISTINCT FROM new.status)))) EXECUTE FUNCTION move_category_ad_totals();

CREATE TRIGGER note_conversations AFTER UPDATE OF buyer_last, buyer_unread, buyer_hidden, seller_read, seller_last, seller_unread, seller_hidden, buyer_read ON conversations FOR EACH ROW WHEN (((old.buyer_last IS DISTINCT FROM new.buyer_last) OR (old.buyer_unread IS DISTINCT FROM new.buyer_unread) OR (old.buyer_hidden IS DISTINCT FROM new.buyer_hidden) OR (old.seller_read IS DISTINCT FROM new.seller_read) OR ((old.seller_last IS DISTINCT FROM new.seller_last) OR (old.seller_unread IS DISTINCT FROM new.seller_unread) OR (old.seller_hidden IS DISTINCT FROM new.seller_hidden) OR (old.buyer_read IS DISTINCT FROM new.buyer_read)))) EXECUTE FUNCTION note_conversations();

CREATE TRIGGER note_notifications_insert AFTER INSERT ON notifications REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_notifications();

CREATE TRIGGER note_notifications_update AFTER UPDATE ON notifications REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_notifications();

CREATE TRIGGER place_ad_on_insert BEFORE INSERT ON ads FOR EACH ROW WHEN (((new.place_id IS NOT NULL) AND (new.public_latitude IS NULL))) EXECUTE FUNCTION place_ad();

CREATE TRIGGER place_ad_on_update BEFORE UPDATE OF place_id, latitude ON ads FOR EACH ROW WHEN (((new.latitude IS NULL) AND ((new.place_id IS NOT NULL) OR (old.place_id IS NOT NULL)) AND ((new.place_id IS DISTINCT FROM old.place_id) OR (new.public_latitude IS NULL)))) EXECUTE FUNCTION place_ad();

CREATE TRIGGER queue_hidden_files AFTER INSERT ON picture_deletions REFERENCING NEW TABLE AS queued FOR EACH STATEMENT EXECUTE FUNCTION queue_hidden_files();

CREATE TRIGGER queue_hidden_pictures AFTER INSERT ON ad_images REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION queue_hidden_pictures_added();

CREATE TRIGGER queue_hidden_pictures AFTER UPDATE ON ads FOR EACH ROW WHEN (((old.status = ANY (ARRAY['suspended'::text, 'removed'::text])) <> (new.status = ANY (ARRAY['suspended'::text, 'removed'::text])))) EXECUTE FUNCTION queue_hidden_pictures_of_ad();

CREATE TRIGGER queue_hidden_pictures AFTER UPDATE ON users FOR EACH ROW WHEN (((old.suspended_until IS DISTINCT FROM new.suspended_until) OR ((new.suspended_until IS NOT NULL) AND (old.image IS DISTINCT FROM new.image)))) EXECUTE FUNCTION queue_hidden_pictures_of_account();

CREATE TRIGGER queue_pictures_on_delete AFTER DELETE ON ad_images REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION queue_ad_images();

CREATE TRIGGER queue_pictures_on_delete AFTER DELETE ON ads REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION queue_picture_deletions();

CREATE TRIGGER queue_pictures_on_delete AFTER DELETE ON users REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION queue_picture_deletions();

CREATE TRIGGER queue_pictures_on_update AFTER UPDATE ON ad_images REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION queue_ad_images();

CREATE TRIGGER queue_pictures_on_update AFTER UPDATE ON users REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION queue_picture_deletions();

CREATE TRIGGER release_images AFTER INSERT ON picture_deletions REFERENCING NEW TABLE AS queued FOR EACH STATEMENT EXECUTE FUNCTION release_images();

CREATE TRIGGER replace_ad_image AFTER UPDATE OF image ON ads FOR EACH ROW WHEN (((old.image <> new.image) AND (new.thumbnail IS NULL))) EXECUTE FUNCTION replace_ad_image();

CREATE TRIGGER skip_retained BEFORE INSERT ON picture_deletions FOR EACH ROW EXECUTE FUNCTION skip_retained_pictures();

CREATE TRIGGER tell_ad_image AFTER UPDATE ON ads FOR EACH ROW WHEN ((old.image IS DISTINCT FROM new.image)) EXECUTE FUNCTION tell_ad_image();

CREATE TRIGGER tell_ads_delete AFTER DELETE ON ads REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION tell_ads_delete();

CREATE TRIGGER tell_ads_insert AFTER INSERT ON ads REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION tell_ads_insert();

CREATE TRIGGER tell_ads_truncate AFTER TRUNCATE ON ads FOR EACH STATEMENT EXECUTE FUNCTION tell_ads_truncate();

CREATE TRIGGER tell_ads_update AFTER UPDATE ON ads REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION tell_ads_update();

CREATE TRIGGER tell_categories_delete AFTER DELETE ON categories FOR EACH STATEMENT EXECUTE FUNCTION tell_categories();

CREATE TRIGGER tell_categories_insert AFTER INSERT ON categories FOR EACH STATEMENT EXECUTE FUNCTION tell_categories();

CREATE TRIGGER tell_categories_truncate AFTER TRUNCATE ON categories FOR EACH STATEMENT EXECUTE FUNCTION tell_categories();

CREATE TRIGGER tell_categories_update AFTER UPDATE ON categories FOR EACH STATEMENT EXECUTE FUNCTION tell_categories();

CREATE TRIGGER tell_hidden_pictures AFTER UPDATE ON hidden_pictures REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION tell_hidden_pictures();

CREATE TRIGGER tell_keys_delete AFTER DELETE ON keys REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION tell_keys_delete();

CREATE TRIGGER tell_keys_truncate AFTER TRUNCATE ON keys FOR EACH STATEMENT EXECUTE FUNCTION tell_keys_truncate();

CREATE TRIGGER tell_outbox AFTER INSERT ON outbox FOR EACH STATEMENT EXECUTE FUNCTION tell_outbox();

CREATE TRIGGER tell_picture_deletions AFTER DELETE ON picture_deletions REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION tell_picture_deletions();

CREATE TRIGGER tell_push AFTER INSERT ON push_messages REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_push();

CREATE TRIGGER tell_sessions_delete AFTER DELETE ON sessions REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION tell_sessions_delete();

CREATE TRIGGER tell_sessions_truncate AFTER TRUNCATE ON sessions FOR EACH STATEMENT EXECUTE FUNCTION tell_sessions_truncate();

CREATE TRIGGER tell_users_delete AFTER DELETE ON users REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION tell_users_delete();

CREATE TRIGGER tell_users_truncate AFTER TRUNCATE ON users FOR EACH STATEMENT EXECUTE FUNCTION tell_users_truncate();

CREATE TRIGGER tell_users_update AFTER UPDATE ON users REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION tell_users_update();

ALTER TABLE ONLY accepted_terms
    ADD CONSTRAINT fk_accepted_terms_user_id_users FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;

ALTER TABLE ONLY ad_comment_totals
    ADD CONSTRAINT fk_ad_comment_totals_ad_id_ads FOREIGN KEY (ad_id) REFERENCES ads(id) ON DELETE CASCADE;

ALTER TABLE ONLY ad_events
    ADD CONSTRAINT fk_ad_events_actor_id_users FOREIGN KEY (actor_id) REFERENCES users(id) ON DELETE SET NULL;

ALTER TABLE ONLY ad_events
    ADD CONSTRAINT fk_ad_events_ad_id_ads FOREIGN KEY (ad_id) REFERENCES ads(id) ON DELETE CASCADE;

ALTER TABLE ONLY ad_images
    ADD CONSTRAINT fk_ad_images_ad_id_ads FOREIGN KEY (ad_id) REFERENCES ads(id) ON DELETE CASCADE;

ALTER TABLE ONLY ad_views
    ADD CONSTRAINT fk_ad_views_ad_id_ads FOREIGN KEY (ad_id) REFERENCES ads(id) ON DELETE CASCADE;

ALTER TABLE ONLY ads
    ADD CONSTRAINT fk_ads_author_id_users FOREIGN KEY (author_id) REFERENCES users(id) ON DELETE CASCADE;

ALTER TABLE ONLY ads
    ADD CONSTRAINT fk_ads_category_id_categories FOREIGN KEY (category_id) REFERENCES categories(id);

ALTER TABLE ONLY alerted_ads
    ADD CONSTRAINT fk_alerted_ads_user_id_users FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;

ALTER TABLE ONLY answer_figures
    ADD CONSTRAINT fk_answer_figures_user_id_users FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;

ALTER TABLE ONLY author_ad_totals
    ADD CONSTRAINT fk_author_ad_totals_author_id_users FOREIGN KEY (author_id) REFERENCES users(id) ON DELETE CASCADE;

ALTER TABLE ONLY blocks
    ADD CONSTRAINT fk_blocks_blocked_id_users FOREIGN KEY (blocked_id) REFERENCES users(id) ON DELETE CASCADE;

ALTER TABLE ONLY blocks
    ADD CONSTRAINT fk_blocks_owner_id_users FOREIGN KEY (owner_id) REFERENCES users(id) ON DELETE CASCADE;

ALTER TABLE ONLY cases
    ADD CONSTRAINT fk_cases_author_id_users FOREIGN KEY (author_id) REFERENCES users(id) ON DELETE CASCADE;

ALTER TABLE ONLY categories
    ADD CONSTRAINT fk_categories_parent_id_categories FOREIGN KEY (parent_id) REFERENCES categories(id);

ALTER TABLE ONLY category_ad_totals
    ADD CONSTRAINT fk_category_ad_totals_category_id_categories FOREIGN KEY (category_id) REFERENCES categories(id) ON DELETE CASCADE;

ALTER TABLE ONLY category_words
    ADD CONSTRAINT fk_category_words_category_id_categories FOREIGN KEY (category_id) REFERENCES categories(id) ON DELETE CASCADE;

ALTER TABLE ONLY comments
    ADD CONSTRAINT fk_comments_ad_id_ads FOREIGN KEY (ad_id) REFERENCES ads(id) ON DELETE CASCADE;

ALTER TABLE ONLY comments
    ADD CONSTRAINT fk_comments_author_id_users FOREIGN KEY (author_id) REFERENCES users(id) ON DELETE CASCADE;

ALTER TABLE ONLY contacts
    ADD CONSTRAINT fk_contacts_ad_id_ads FOREIGN KEY (ad_id) REFERENCES ads(id) ON DELETE CASCADE;

ALTER TABLE ONLY contacts
    ADD CONSTRAINT fk_contacts_user_id_users FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;

ALTER TABLE ONLY conversations
    ADD CONSTRAINT fk_conversations_buyer_id_users FOREIGN KEY (buyer_id) REFERENCES users(id) ON DELETE SET NULL;

ALTER TABLE ONLY conversations
    ADD CONSTRAINT fk_conversations_seller_id_users FOREIGN KEY (seller_id) REFERENCES users(id) ON DELETE SET NULL;

ALTER TABLE ONLY deals
    ADD CONSTRAINT fk_deals_buyer_id_users FOREIGN KEY (buyer_id) REFERENCES users(id) ON DELETE SET NULL;

ALTER TABLE ONLY deals
    ADD CONSTRAINT fk_deals_seller_id_users FOREIGN KEY (seller_id) REFERENCES users(id) ON DELETE SET NULL;

ALTER TABLE ONLY decisions
    ADD CONSTRAINT fk_decisions_actor_id_users FOREIGN KEY (actor_id) REFERENCES users(id) ON DELETE SET NULL;

ALTER TABLE ONLY decisions
    ADD CONSTRAINT fk_decisions_case_id_cases FOREIGN KEY (case_id) REFERENCES cases(id) ON DELETE CASCADE;

ALTER TABLE ONLY decisions
    ADD CONSTRAINT fk_decisions_undoes_id_decisions FOREIGN KEY (undoes_id) REFERENCES decisions(id) ON DELETE SET NULL;

ALTER TABLE ONLY decisions
    ADD CONSTRAINT fk_decisions_user_id_users FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;

ALTER TABLE ONLY deleted_rows
    ADD CONSTRAINT fk_deleted_rows_deletion_id_deletions FOREIGN KEY (deletion_id) REFERENCES deletions(id) ON DELETE CASCADE;

ALTER TABLE ONLY digested_notices
    ADD CONSTRAINT fk_digested_notices_user_id_users FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;

ALTER TABLE ONLY favorites
    ADD CONSTRAINT fk_favorites_user_id_users FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;

ALTER TABLE ONLY hidden_pictures
    ADD CONSTRAINT fk_hidden_pictures_deletion_id_deletions FOREIGN KEY (deletion_id) REFERENCES deletions(id) ON DELETE SET NULL;

ALTER TABLE ONLY idempotency_keys
    ADD CONSTRAINT fk_idempotency_keys_user_id_users FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;

ALTER TABLE ONLY identities
    ADD CONSTRAINT fk_identities_user_id_users FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;

ALTER TABLE ONLY image_totals
    ADD CONSTRAINT fk_image_totals_owner_id_users FOREIGN KEY (owner_id) REFERENCES users(id) ON DELETE CASCADE;

ALTER TABLE ONLY images
    ADD CONSTRAINT fk_images_owner_id_users FOREIGN KEY (owner_id) REFERENCES users(id) ON DELETE CASCADE;

ALTER TABLE ONLY import_rows
    ADD CONSTRAINT fk_import_rows_import_id_imports FOREIGN KEY (import_id) REFERENCES imports(id) ON DELETE CASCADE;

ALTER TABLE ONLY imported_ads
    ADD CONSTRAINT fk_imported_ads_ad_id_ads FOREIGN KEY (ad_id) REFERENCES ads(id) ON DELETE CASCADE;

ALTER TABLE ONLY imports
    ADD CONSTRAINT fk_imports_owner_id_users FOREIGN KEY (owner_id) REFERENCES users(id) ON DELETE CASCADE;

ALTER TABLE ONLY keys
    ADD CONSTRAINT fk_keys_user_id_users FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;

ALTER TABLE ONLY mail_attempts
    ADD CONSTRAINT fk_mail_attempts_user_id_users FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;

ALTER TABLE ONLY mail_tokens
    ADD CONSTRAINT fk_mail_tokens_user_id_users FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;

ALTER TABLE ONLY messages
    ADD CONSTRAINT fk_messages_conversation_id_conversations FOREIGN KEY (conversation_id) REFERENCES conversations(id) ON DELETE CASCADE;

ALTER TABLE ONLY messages
    ADD CONSTRAINT fk_messages_offer_id_offers FOREIGN KEY (offer_id) REFERENCES offers(id) ON DELETE CASCADE;

ALTER TABLE ONLY notice_mails
    ADD CONSTRAINT fk_notice_mails_user_id_users FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;

ALTER TABLE ONLY notifications
    ADD CONSTRAINT fk_notifications_user_id_users FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;

ALTER TABLE ONLY offers
    ADD CONSTRAINT fk_offers_conversation_id_conversations FOREIGN KEY (conversation_id) REFERENCES conversations(id) ON DELETE CASCADE;

ALTER TABLE ONLY passkeys
    ADD CONSTRAINT fk_passkeys_user_id_users FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;

ALTER TABLE ONLY preferences
    ADD CONSTRAINT fk_preferences_user_id_users FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;

ALTER TABLE ONLY push_messages
    ADD CONSTRAINT fk_push_messages_subscription_id_push_subscriptions FOREIGN KEY (subscription_id) REFERENCES push_subscriptions(id) ON DELETE CASCADE;

ALTER TABLE ONLY push_subscriptions
    ADD CONSTRAINT fk_push_subscriptions_session_id_sessions FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE;

ALTER TABLE ONLY push_subscriptions
    ADD CONSTRAINT fk_push_subscriptions_user_id_users FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;

ALTER TABLE ONLY query_keys
    ADD CONSTRAINT fk_query_keys_query_id_saved_queries FOREIGN KEY (query_id) REFERENCES saved_queries(id) ON DELETE CASCADE;

ALTER TABLE ONLY ratings
    ADD CONSTRAINT fk_ratings_author_id_users FOREIGN KEY (author_id) REFERENCES users(id) ON DELETE SET NULL;

ALTER TABLE ONLY ratings
    ADD CONSTRAINT fk_ratings_deal_id_deals FOREIGN KEY (deal_id) REFERENCES deals(id) ON DELETE CASCADE;

ALTER TABLE ONLY ratings
    ADD CONSTRAINT fk_ratings_rated_id_users FOREIGN KEY (rated_id) REFERENCES users(id) ON DELETE SET NULL;

ALTER TABLE ONLY recovery_codes
    ADD CONSTRAINT fk_recovery_codes_user_id_users FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;

ALTER TABLE ONLY removed_comments
    ADD CONSTRAINT fk_removed_comments_ad_id_ads FOREIGN KEY (ad_id) REFERENCES ads(id) ON DELETE CASCADE;

ALTER TABLE ONLY removed_comments
    ADD CONSTRAINT fk_removed_comments_author_id_users FOREIGN KEY (author_id) REFERENCES users(id) ON DELETE CASCADE;

ALTER TABLE ONLY reports
    ADD CONSTRAINT fk_reports_case_id_cases FOREIGN KEY (case_id) REFERENCES cases(id) ON DELETE CASCADE;

ALTER TABLE ONLY reports
    ADD CONSTRAINT fk_reports_reporter_id_users FOREIGN KEY (reporter_id) REFERENCES users(id) ON DELETE SET NULL;

ALTER TABLE ONLY saved_searches
    ADD CONSTRAINT fk_saved_searches_query_id_saved_queries FOREIGN KEY (query_id) REFERENCES saved_queries(id);

ALTER TABLE ONLY saved_searches
    ADD CONSTRAINT fk_saved_searches_user_id_users FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;

ALTER TABLE ONLY sessions
    ADD CONSTRAINT fk_sessions_user_id_users FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;

ALTER TABLE ONLY sign_ins
    ADD CONSTRAINT fk_sign_ins_user_id_users FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;

ALTER TABLE ONLY totps
    ADD CONSTRAINT fk_totps_user_id_users FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;

ALTER TABLE ONLY webhook_deliveries
    ADD CONSTRAINT fk_webhook_deliveries_webhook_id_webhooks FOREIGN KEY (webhook_id) REFERENCES webhooks(id) ON DELETE CASCADE;

ALTER TABLE ONLY webhooks
    ADD CONSTRAINT fk_webhooks_creator_id_users FOREIGN KEY (creator_id) REFERENCES users(id) ON DELETE SET NULL;

ALTER TABLE ONLY webhooks
    ADD CONSTRAINT fk_webhooks_owner_id_users FOREIGN KEY (owner_id) REFERENCES users(id) ON DELETE CASCADE;
