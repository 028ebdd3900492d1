import type { Connection, Driver, Statement } from '../../../src/integrations/postgres/driver.js'

interface Answers {
  /** The rows of a statement. Default: none. */
  readonly rowsOf?: (text: string) => object[]
  /** The error of a statement; `undefined` if it is accepted. Default: each is accepted. */
  readonly refuse?: (text: string) => Error | undefined
  /** The command in the result of a statement. Default: its first word. */
  readonly commandOf?: (text: string) => string
  /** Default: 2. */
  readonly size?: number
}

/** A driver whose connections accept every statement, with a list of what each of them has received. */
export function acceptingDriver({ rowsOf = () => [], size = 2, ...answers }: Answers = {}) {
  const { refuse = () => undefined, commandOf = (text) => text.split(' ')[0] as string } = answers
  const log: string[] = []
  let lent = 0
  const connect = async (): Promise<Connection> => {
    const number = ++lent
    const answer = async ({ text, values = [] }: Statement) => {
      // Of the settings, only the role and the tenant are of interest.
      const isSetting = text.includes('set_config')
      const owner = values.length > 2 ? values.slice(2) : text.includes("'role'") ? values : []
      log.push(`${number} ${isSetting ? `as ${owner.join(' ')}`.trim() : text}`)
      const error = refuse(text)
      if (error !== undefined) throw error
      const rows = rowsOf(text) as Record<string, unknown>[]
      return { rows, rowCount: 0, command: commandOf(text), fields: [] }
    }
    return {
      isLost: false,
      query: answer,
      sendTogether: (statements) =>
        statements.map((each) => {
          const result = answer(each)
          result.catch(() => undefined)
          return result
        }),
      script: async (text) => void log.push(`${number} ${text}`),
      release: () => void log.push(`${number} release`),
      destroy: () => void log.push(`${number} destroy`),
    }
  }
  const driver: Driver = {
    ...{ size, isEmbedded: false, usage: () => ({ lent: 0, waiting: 0 }) },
    ...{ connect, open: async () => {}, close: async () => {} },
  }
  return { driver, log }
}
