import { tokensOf } from './sql-tokens.js'

/** The facts about a statement that are known before it runs. */
export interface StatementClass {
  /** The words with which it begins or ends a transaction; `null` if it does neither. */
  readonly control: string | null
  /** Whether it only reads. If the connection is lost meanwhile, nothing can have been written. */
  readonly reads: boolean
  /**
   * The traces that it may leave in its session after its transaction: `nothing`; `something` that
   * `DISCARD ALL` removes; or a loaded `library`, which cannot be removed.
   */
  readonly leaves: 'nothing' | 'something' | 'library'
  /** Whether it is a `COPY … FROM STDIN`, or holds one: the server would wait for rows. */
  readonly readsClient: boolean
}

const CONTROL =
  /^(?:begin|commit|end|abort|(?:start|prepare) transaction|rollback(?! (?:(?:work|transaction) )?to\b))(?!\S)/
/**
 * Commands that leave nothing by themselves. Every other command may leave something: no list of those would be
 * complete.
 */
const PLAIN =
  /^(?:|select|insert|update|delete|merge|with|values|table|show|savepoint|release|rollback|fetch|move|close|declare|lock|notify|set (?:local|constraints|transaction))(?!\S)/
const READING = /^(?:select|with|values|table|show|fetch|move)(?!\S)/
const WRITING = /(?<!\bfor\s+(?:no\s+key\s+)?)\b(?:insert|update|delete|merge)\b/i
/** A new table, a cursor that outlives its transaction, a name in escapes, or a comment, which may stand before a parenthesis. */
const DOUBTFUL = /(?<!\b(?:insert|merge)\s+)\binto\b|\bhold\b|pg_temp|u&|--|\/\*/i
/** The table of an `INSERT`, before its columns. */
const TARGET = /^\s*insert\s+into\s+[\w$."]+\s*\(/i
/** A name before a parenthesis, and the point before it, unless the schema is `pg_catalog`. */
const CALL =
  /(?:(?<![\w$".])pg_catalog\.|(\.\s*))?(?<![\w$"\u0080-\uffff])([\w$"\u0080-\uffff]+)\s*\(/g
/** Words of SQL before a parenthesis, and the most common functions of PostgreSQL, which leave nothing. */
const HARMLESS = new Set(
  (
    'all and any array as between bit by case cast char character coalesce conflict cube current_time current_timestamp decimal default distinct else ' +
    'except exists extract filter float from greatest group grouping having ilike in insert intersect interval is join lateral least like limit localtime ' +
    'localtimestamp materialized not nullif numeric of offset on only or order over overlay partition position returning rollup row select set sets similar ' +
    'some substring then time timestamp timestamptz timetz to trim union using values varbit varchar varying when where with within ' +
    'abs age array_agg array_length avg bool_and bool_or cardinality ceil char_length concat concat_ws count current_setting date date_part date_trunc ' +
    'dense_rank floor format gen_random_uuid generate_series json_agg json_array_elements json_build_array json_build_object json_object_agg ' +
    'jsonb_agg jsonb_array_elements jsonb_array_length jsonb_build_array jsonb_build_object jsonb_object_agg jsonb_set lag lead left length lower lpad ltrim ' +
    'make_interval max md5 min mod now pg_backend_pid plainto_tsquery power rank regexp_replace replace right round row_number row_to_json rpad rtrim sqrt ' +
    'string_agg string_to_array strpos substr sum to_char to_date to_json to_jsonb to_number to_timestamp to_tsquery to_tsvector trunc ts_rank unnest upper'
  ).split(' '),
)
/** Longer texts are in doubt: cleaning the connection takes less time than reading them. */
const LONG_TEXT = 20_000
/** The most texts to keep, and the longest of them. A program has few statements, unless it writes values into them. */
const [MOST_KEPT, LONGEST_KEPT] = [1000, 4096]
const kept = new Map<string, StatementClass>()

/**
 * Classifies a statement by its first words, and by the functions that it calls. Where there is any doubt, it may leave
 * something. This does not defend against an attacker: the settings of every transaction separate tenants. It only
 * finds state that a session could keep for its next user.
 */
export function classifyStatement(text: string): StatementClass {
  const known = kept.get(text)
  if (known !== undefined) return known
  const found = classify(text)
  if (kept.size >= MOST_KEPT) kept.clear()
  if (text.length <= LONGEST_KEPT) kept.set(text, found)
  return found
}

function classify(text: string): StatementClass {
  const start = wordsOf(text, 3).join(' ')
  const control = CONTROL.exec(start)?.[0] ?? null
  const isPlain = control !== null || (PLAIN.test(start) && !isDoubtful(text))
  const other = start.startsWith('load ') ? 'library' : 'something'
  const reads = isPlain && READING.test(start) && !WRITING.test(text)
  return { control, reads, leaves: isPlain ? 'nothing' : other, readsClient: readsClient(text) }
}

function isDoubtful(text: string): boolean {
  if (text.length > LONG_TEXT || DOUBTFUL.test(text)) return true
  const calls = [...text.replace(TARGET, '').matchAll(CALL)]
  return calls.some(([, dot, name = '']) => dot !== undefined || !HARMLESS.has(name.toLowerCase()))
}

function readsClient(text: string): boolean {
  if (!/\bstdin\b/i.test(text)) return false
  const words = wordsOf(text)
  return words.some((word, index) => word === 'stdin' && words[index - 1] === 'from')
}

/**
 * Returns the first tokens in lower case, without quoted texts and comments. Skips empty statements and parentheses at the
 * beginning. Ends at a quote that is never closed: PostgreSQL refuses such a text.
 */
function wordsOf(text: string, most = Number.POSITIVE_INFINITY): string[] {
  const words: string[] = []
  try {
    for (const token of tokensOf(text)) {
      if (words.length > 0 || !/[;(]/.test(token.text)) words.push(token.text)
      if (words.length === most) break
    }
  } catch {
    // The text ends inside a quote.
  }
  return words
}
