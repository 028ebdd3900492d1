import { connect } from 'node:net'
import {
  App,
  type AppOptions,
  Auth,
  BaseController,
  Can,
  Controller,
  Get,
  type Logger,
  RateLimit,
  type Request,
} from 'blazon'
import { type ApiKeyRecord, type ApiKeysOptions, apiKeys, generateApiKey } from 'blazon/keys'
import { TestApp, type TestOptions } from 'blazon/testing'
import { onTestFinished } from 'vitest'

/** Keys in memory, which count their look-ups. */
export class Keys {
  readonly records = new Map<string, ApiKeyRecord>()
  readonly lookedUp: string[] = []
  /** Called before each look-up ends. */
  hold: () => unknown = () => {}

  /** Makes a key, and stores its record. */
  add(fields: Partial<ApiKeyRecord> = {}, prefix = 'acme_live'): string {
    const { key, hash } = generateApiKey({ prefix })
    this.records.set(hash, { id: `key-${this.records.size + 1}`, hash, ...fields })
    return key
  }

  change(id: string, fields: Partial<ApiKeyRecord>): void {
    for (const [hash, record] of this.records) {
      if (record.id === id) this.records.set(hash, { ...record, ...fields })
    }
  }

  readonly find = async (hash: string): Promise<ApiKeyRecord | undefined> => {
    this.lookedUp.push(hash)
    const record = this.records.get(hash)
    await this.hold()
    return record
  }
}

@Auth()
@Controller('orders')
export class OrdersController extends BaseController {
  @Get()
  list({ user }: Request) {
    return user
  }

  @Can('orders:write')
  @Get('write')
  write() {
    return 'written'
  }

  @RateLimit({ limit: 2, window: '1h', by: 'key' })
  @Get('limited')
  limited() {
    return 'counted'
  }
}

@Controller('open')
export class OpenController {
  @Auth({ optional: true })
  @Get()
  open({ user }: Request) {
    return { by: user?.id ?? 'anybody' }
  }

  @RateLimit({ limit: 2, window: '1h', by: 'key' })
  @Get('limited')
  limited() {
    return 'counted'
  }
}

/** Records every line of a log, as one text. */
export class Lines implements Logger {
  readonly lines: string[] = []
  readonly info = (...args: unknown[]) => this.#note('info', args)
  readonly warn = (...args: unknown[]) => this.#note('warn', args)
  readonly error = (...args: unknown[]) => this.#note('error', args)

  #note(level: string, args: unknown[]): void {
    this.lines.push(`${level} ${args.map(textOf).join(' ')}`)
  }
}

/** Everything in a value, also the stacks and causes of errors. */
function textOf(value: unknown): string {
  if (value instanceof Error) return `${value.stack} ${textOf({ ...value })} ${textOf(value.cause)}`
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .map(([name, each]) => `${name}: ${each === value ? '' : textOf(each)}`)
    .join(', ')
}

/** Starts an application under test with `apiKeys`. */
export async function startWith(
  more: Partial<ApiKeysOptions<ApiKeyRecord, object>> & Pick<ApiKeysOptions, 'find'>,
  options: TestOptions = {},
): Promise<TestApp> {
  const app = await TestApp.create({
    controllers: [OrdersController, OpenController],
    auth: { guard: apiKeys({ prefix: 'acme_live', ...more }), credentials: ['x-api-key'] },
    ...options,
  })
  onTestFinished(() => app.close())
  return app
}

/** The status of `GET /orders` with a key. */
export async function statusWith(app: TestApp, key: string): Promise<number> {
  return (await app.request().get('/orders').set('x-api-key', key)).status
}

/** Starts an application on a port. */
export async function listening(options: AppOptions): Promise<number> {
  const app = await App.create({ logger: false, ...options })
  onTestFinished(() => app.close())
  return (await app.listen(0, '127.0.0.1')).port
}

/** The status of `GET` with these lines of the head, sent as they are. */
export function statusOfLines(port: number, lines: readonly string[], path = '/orders') {
  return new Promise<number>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let text = ''
    socket.setEncoding('latin1')
    socket.on('data', (part) => {
      text += part
    })
    socket.on('error', reject)
    socket.on('end', () => resolve(Number(text.split(' ')[1])))
    const head = [`GET ${path} HTTP/1.1`, 'Host: a', 'Connection: close', ...lines]
    socket.write(`${head.join('\r\n')}\r\n\r\n`, 'latin1')
  })
}
