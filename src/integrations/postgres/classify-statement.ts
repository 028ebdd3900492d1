import { PLAIN_FUNCTIONS } from './plain-functions.js'
import { type Token, tokensOf } from './sql-tokens.js'

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

/**
 * Commands that leave nothing in the session. Every other command counts as one that may, because
 * no list of those could be complete.
 */
const PLAIN_COMMANDS = new Set(
  'select insert update delete merge with values table show savepoint release fetch move close lock notify'.split(
    ' ',
  ),
)
const READING = new Set('select with values table show fetch move'.split(' '))
/** Words that write, in any position, except `update` after `for` or `key`. */
const WRITING = new Set('insert update delete merge nextval setval pg_notify'.split(' '))
const CONTROLS = new Set(['begin', 'commit', 'end', 'abort'])

/**
 * Words of SQL that may precede a parenthesis without calling a function. The types among them have
 * a size.
 */
const BEFORE_BRACKET = new Set(
  (
    'all and any array as between bit by case cast char character coalesce conflict cube current_time current_timestamp decimal default distinct else ' +
    'escape except exists extract filter first float from greatest group grouping having ilike in insert intersect interval is join lateral least like ' +
    'limit localtime localtimestamp materialized next normalize not nullif numeric of offset on only or order over overlay partition position ' +
    'returning rollup row rows select set sets similar some substring then time timestamp timestamptz timetz to trim union using values varbit varchar ' +
    'varying when where with within'
  ).split(' '),
)
/** After these words comes a name. A parenthesis after that name holds columns. */
const BEFORE_NAME = new Set(['into', 'as', 'with', 'recursive'])

/**
 * Texts longer than this number of characters are not read completely: cleaning the connection
 * takes less time.
 */
const LONG_TEXT = 20_000
/**
 * The most characters of statement texts to cache. A program has few statements, unless it writes
 * values into them.
 */
const MOST_CHARACTERS = 2_000_000
/** Only texts that match this are split into all their tokens, also long ones. */
const MAY_READ_CLIENT = /\bcopy\b[\s\S]*\bstdin\b/i
/** The number of words that show whether a statement begins or ends a transaction. */
const FIRST_WORDS = 3
const cached = new Map<string, StatementClass>()
let characters = 0

/**
 * Classifies a statement by its words; comments and quoted texts do not count. This does not defend
 * against an attacker: the settings of every transaction separate tenants. It only finds what else
 * a session could keep for its next user.
 */
export function classifyStatement(text: string): StatementClass {
  const known = cached.get(text)
  if (known !== undefined) return known
  const found = classify(text)
  if (text.length <= LONG_TEXT) remember(text, found)
  return found
}

function remember(text: string, found: StatementClass): void {
  characters += text.length
  if (characters > MOST_CHARACTERS) {
    cached.clear()
    characters = text.length
  }
  cached.set(text, found)
}

function classify(text: string): StatementClass {
  return { ...classOf(text, readTokens(text)), readsClient: readsClient(text) }
}

function classOf(text: string, tokens: Token[] | null): Omit<StatementClass, 'readsClient'> {
  if (tokens === null) return { control: null, reads: false, leaves: 'something' }
  const statement = new ClassifiedStatement(text, tokens)
  const { control } = statement
  if (control !== null) return { control, reads: false, leaves: 'nothing' }
  const isPlain = text.length <= LONG_TEXT && statement.isPlain()
  const leaves = isPlain ? 'nothing' : statement.command === 'load' ? 'library' : 'something'
  return { control, reads: isPlain && statement.reads(), leaves }
}

function readsClient(text: string): boolean {
  if (!MAY_READ_CLIENT.test(text)) return false
  try {
    const words = Array.from(tokensOf(text), (token) => token.text)
    return words.some((word, index) => word === 'stdin' && words[index - 1] === 'from')
  } catch {
    // The text ends inside a quote, so PostgreSQL refuses it.
    return false
  }
}

/**
 * Reads the tokens of a statement; of a long text only the first words. Skips empty statements and
 * parentheses at its beginning. Returns `null` for a text that PostgreSQL cannot read either.
 */
function readTokens(text: string): Token[] | null {
  const tokens: Token[] = []
  try {
    for (const token of tokensOf(text)) {
      if (tokens.length === 0 && (token.text === ';' || token.text === '(')) continue
      tokens.push(token)
      if (tokens.length === FIRST_WORDS && text.length > LONG_TEXT) break
    }
  } catch {
    return null
  }
  return tokens
}

class ClassifiedStatement {
  readonly #text: string
  readonly #tokens: readonly Token[]

  constructor(text: string, tokens: readonly Token[]) {
    this.#text = text
    this.#tokens = tokens
  }

  /** The first word. */
  get command(): string {
    return this.#word(0)
  }

  get control(): string | null {
    const [first, second, third] = [this.command, this.#word(1), this.#word(2)]
    if (CONTROLS.has(first)) return first
    const isPair = first === 'start' || first === 'prepare'
    if (isPair && second === 'transaction') return `${first} ${second}`
    if (first !== 'rollback') return null
    const isPart = second === 'to' || (/^(?:work|transaction)$/.test(second) && third === 'to')
    return isPart ? null : first
  }

  isPlain(): boolean {
    const { command } = this
    if (command === 'set') return /^(?:local|constraints|transaction)$/.test(this.#word(1))
    // An empty word means no statement. `rollback` is here a rollback to a savepoint. A cursor
    // (`declare`) ends with its transaction.
    const isKnown = PLAIN_COMMANDS.has(command) || /^(?:|rollback|declare)$/.test(command)
    return isKnown && this.#tokens.every((token, index) => this.#isPlainAt(token, index))
  }

  reads(): boolean {
    if (!READING.has(this.command)) return false
    return !this.#tokens.some(({ text }, index) => {
      const isLock = text === 'update' && /^(?:for|key)$/.test(this.#word(index - 1))
      return WRITING.has(text) && !isLock
    })
  }

  #isPlainAt({ text, kind }: Token, index: number): boolean {
    if (text === '(') return this.#isNoCall(index)
    if (kind !== 'word') return true
    // `select … into` creates a table.
    if (text === 'into') return /^(?:insert|merge)$/.test(this.#word(index - 1))
    // `U&"…"` is a name written in escapes, which may be any name.
    if (text === 'u') return this.#tokens[index + 1]?.text !== '&'
    return text !== 'hold' && !text.startsWith('pg_temp')
  }

  /**
   * Whether a parenthesis does not belong to a function call, or belongs to a function that leaves
   * nothing.
   */
  #isNoCall(bracket: number): boolean {
    const before = this.#tokens[bracket - 1]
    if (before === undefined || !this.#isName(before)) return true
    const isQualified = this.#tokens[bracket - 2]?.text === '.'
    const start = isQualified ? bracket - 3 : bracket - 1
    if (BEFORE_NAME.has(this.#word(start - 1))) return true
    if (isQualified && this.#word(start) !== 'pg_catalog') return false
    const { text } = before
    if (text === 'set_config') return this.#isLocal(bracket)
    return PLAIN_FUNCTIONS.has(text) || (!isQualified && BEFORE_BRACKET.has(text))
  }

  #isName({ kind, start }: Token): boolean {
    return kind === 'word' || (kind === 'quoted' && this.#text[start] === '"')
  }

  /**
   * Whether the last argument of `set_config` is the literal `true`, so that the setting ends with
   * the transaction.
   */
  #isLocal(bracket: number): boolean {
    let depth = 0
    for (let index = bracket; index < this.#tokens.length; index++) {
      const { text } = this.#tokens[index] as Token
      if (text === '(') depth++
      else if (text === ')') depth--
      if (depth === 0) return this.#word(index - 1) === 'true' && this.#isComma(index - 2)
    }
    return false
  }

  #isComma(index: number): boolean {
    return this.#tokens[index]?.text === ','
  }

  /** Returns an unquoted word; an empty text if there is none at this index. */
  #word(index: number): string {
    const token = this.#tokens[index]
    return token?.kind === 'word' ? token.text : ''
  }
}
