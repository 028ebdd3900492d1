/**
 * Built-in functions of PostgreSQL that leave nothing in their session. After a call of any other
 * function, the connection is cleaned. Do not add functions that run a text as SQL (`query_to_xml`,
 * `ts_stat`), nor names that an application may give to its own functions: `network`, or `uuidv7`,
 * which is built in only from PostgreSQL 18 on.
 */
export const PLAIN_FUNCTIONS: ReadonlySet<string> = new Set(
  `
abs acos acosh age any_value array_agg array_append array_cat array_dims array_fill array_length array_lower array_ndims array_position array_positions
array_prepend array_remove array_replace array_to_json array_to_string array_to_tsvector array_upper ascii asin asinh atan atan2 atanh avg bit_and bit_count
bit_length bit_or bit_xor bool_and bool_or btrim cardinality cbrt ceil ceiling char_length character_length chr clock_timestamp col_description concat concat_ws
convert_from convert_to corr cos cosh cot count covar_pop covar_samp cume_dist current_database current_schema current_schemas current_setting currval date
date_bin date_part date_trunc daterange decode degrees dense_rank div encode every exp factorial first_value floor format format_type gcd gen_random_uuid
generate_series generate_subscripts grouping has_table_privilege hashtext hashtextextended initcap int4range int8range isempty isfinite json_agg
json_array_elements json_array_elements_text json_array_length json_arrayagg json_build_array json_build_object json_each json_each_text json_exists
json_extract_path json_extract_path_text json_object json_object_agg json_object_keys json_objectagg json_populate_record json_populate_recordset json_query
json_scalar json_strip_nulls json_to_record json_to_recordset json_typeof json_value jsonb_agg jsonb_array_elements jsonb_array_elements_text jsonb_array_length
jsonb_build_array jsonb_build_object jsonb_each jsonb_each_text jsonb_extract_path jsonb_extract_path_text jsonb_insert jsonb_object jsonb_object_agg
jsonb_object_keys jsonb_path_exists jsonb_path_match jsonb_path_query jsonb_path_query_array jsonb_path_query_first jsonb_populate_record
jsonb_populate_recordset jsonb_pretty jsonb_set jsonb_strip_nulls jsonb_to_record jsonb_to_recordset jsonb_typeof justify_days justify_hours justify_interval
lag last_value lastval lcm lead left length ln log log10 lower lower_inc lower_inf lpad ltrim make_date make_interval make_time make_timestamp make_timestamptz
max md5 min mod mode multirange nextval now nth_value ntile num_nonnulls num_nulls numnode numrange obj_description octet_length percent_rank percentile_cont
percentile_disc pg_advisory_xact_lock pg_advisory_xact_lock_shared pg_backend_pid pg_column_size pg_current_xact_id pg_get_serial_sequence pg_notify
pg_relation_size pg_size_pretty pg_sleep pg_total_relation_size pg_try_advisory_xact_lock pg_try_advisory_xact_lock_shared pg_typeof phraseto_tsquery pi
plainto_tsquery power quote_ident quote_literal quote_nullable radians random range_agg range_merge rank regexp_count regexp_instr regexp_like regexp_match
regexp_matches regexp_replace regexp_split_to_array regexp_split_to_table regexp_substr repeat replace reverse right round row_number row_to_json rpad rtrim
scale setval setweight sha224 sha256 sha384 sha512 sign sin sinh split_part sqrt starts_with statement_timestamp stddev stddev_pop stddev_samp string_agg
string_to_array string_to_table strip strpos substr sum tan tanh timeofday to_char to_date to_hex to_json to_jsonb to_number to_regclass to_timestamp to_tsquery
to_tsvector transaction_timestamp translate trim_scale trunc ts_headline ts_rank ts_rank_cd tsrange tstzrange tsvector_to_array txid_current unnest upper
upper_inc upper_inf var_pop var_samp variance version websearch_to_tsquery width_bucket
`
    .trim()
    .split(/\s+/),
)
