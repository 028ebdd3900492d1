import {
  ApiResponseDoc,
  Controller,
  defineControllers,
  Get,
  JsonLines,
  type Request,
  Sse,
} from 'blazon'
import { TestApp, type TestOptions } from 'blazon/testing'
import { afterEach, beforeEach } from 'vitest'
import { z } from 'zod'

/** The schema of every item in these tests. */
export const Item = z.object({ n: z.number() })

/** What the handlers do in a test. */
export type Script = (req: Request) => AsyncGenerator<never>

/** The state of a test. */
export const state: {
  script: Script
  /** `finally` of the generator, in order with other notes of the test. */
  log: string[]
  errors: { readonly err?: Error; readonly status?: number; readonly message: string }[]
} = { script: notScripted, log: [], errors: [] }

// biome-ignore lint/correctness/useYield: it fails instead
async function* notScripted(): AsyncGenerator<never> {
  throw new Error('The test has no script.')
}

/** Sets what the handlers do. A script may yield anything: some tests are about wrong items. */
export function script(run: (req: Request) => AsyncGenerator<unknown>): void {
  state.script = run as Script
}

/** Resets the state before each test of the file that calls it. */
export function useStreams(): void {
  beforeEach(() => Object.assign(state, { script: notScripted, log: [], errors: [] }))
  afterEach(async () => {
    for (const app of open.splice(0)) await app.close()
  })
}

@Controller('streams')
class StreamsController {
  @ApiResponseDoc({ status: 404 }) @Get('events') @Sse(Item) async *events(req: Request) {
    try {
      yield* state.script(req)
    } finally {
      state.log.push('finally')
    }
  }

  @Get('aged') @Sse(Item, { maxAge: '1m' }) async *aged(req: Request) {
    yield* this.events(req)
  }

  @Get('lines') @JsonLines(Item) async *lines(req: Request) {
    yield* this.events(req)
  }

  @Get('aged-lines') @JsonLines(Item, { maxAge: '1m' }) async *agedLines(req: Request) {
    yield* this.events(req)
  }

  @Get('both') @Sse(Item) @JsonLines(Item) async *both(req: Request) {
    yield* this.events(req)
  }
}

export const controllers = defineControllers(StreamsController)

/** Collects the errors that an application logs. */
export const logger = {
  info() {},
  warn() {},
  error(facts: object, message: string) {
    state.errors.push({ ...facts, message })
  },
}

const open: TestApp[] = []

/** Starts an application that is closed after the test. */
export async function start(options: Partial<TestOptions> = {}): Promise<TestApp> {
  const app = await TestApp.create({ controllers, logger, contract: 'throw', ...options })
  open.push(app)
  return app
}

/** Reads the next piece of a body as text; `null` at its end. */
export async function piece(
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<string | null> {
  const { done, value } = await reader.read()
  return done ? null : new TextDecoder().decode(value)
}

/** Reads a body until it contains a text. */
export async function until(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  text: string,
): Promise<string> {
  let seen = ''
  while (!seen.includes(text)) {
    const next = await piece(reader)
    if (next === null) throw new Error(`The body ended before ${text}: ${seen}`)
    seen += next
  }
  return seen
}
