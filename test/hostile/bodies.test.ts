import { App } from 'blazon'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CORPUS, defineTargets, requestOf } from '../../bench/hostile/corpus.js'
import { ALL_TEXTS } from '../../bench/hostile/texts.js'
import { Random } from '../conformance/random.js'
import { rounds, seed } from './rounds.js'

/** The errors with their envelope. */
const MOST_BYTES = 9 * 1024

describe('a 100 kB body that is expensive to process', () => {
  let app: App
  let origin: string
  beforeAll(async () => {
    app = new App({ controllers: defineTargets(), logger: false })
    const { port } = await app.listen(0, '127.0.0.1')
    origin = `http://127.0.0.1:${port}`
  })
  afterAll(() => app.close())

  const post = async (index: number, text?: string) => {
    const { path, body = text } = requestOf(index)
    const headers = { 'content-type': 'application/json' }
    const sent = body === undefined ? {} : { headers, body: text ?? body }
    const answer = await fetch(origin + path, { method: 'POST', ...sent })
    return { status: answer.status, text: await answer.text() }
  }

  it.each(CORPUS.map(({ name }, index) => [name, index] as const))(
    'results in a status below 500 and at most 20 errors: %s',
    async (_name, index) => {
      const { status = expect.any(Number), path, code = 'VALIDATION_FAILED' } = CORPUS[index] ?? {}
      const answer = await post(index)
      expect(answer.status).toEqual(status)
      expect(answer.status).toBeLessThan(500)
      if (answer.status === 200) return
      const { code: sentCode, errors = [] } = JSON.parse(answer.text)
      expect(sentCode).toBe(code)
      expect(Buffer.byteLength(answer.text)).toBeLessThan(MOST_BYTES)
      if (code !== 'VALIDATION_FAILED') return
      expect(errors.length).toBeGreaterThan(0)
      expect(errors.length).toBeLessThanOrEqual(20)
      if (path !== undefined) expect(errors[0].path).toBe(path)
    },
  )

  it(`results in a 200 or 400 response if it is one string that makes format checks slow (SEED=${seed})`, async () => {
    const random = new Random(seed)
    const targets = CORPUS.flatMap(({ name }, index) => (name.includes('long text') ? [index] : []))
    for (let n = 0; n < rounds(200); n++) {
      const answer = await post(random.pick(targets), random.pick(ALL_TEXTS))
      expect([200, 400], answer.text.slice(0, 300)).toContain(answer.status)
    }
  })
})
