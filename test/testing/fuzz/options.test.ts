import { Body, ConfigError, Controller, Get, Params, Post, type Request } from 'blazon'
import { type FuzzOptions, TestApp } from 'blazon/testing'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { loadFastCheck } from '../../../src/testing/fuzz/random.js'

const Impossible = z.object({ code: z.string().min(5).max(2) })
const seen: string[] = []

@Controller('things')
class ThingsController {
  @Get('mine')
  mine() {
    return {}
  }

  @Get(':name')
  @Params(z.object({ name: z.enum(['mine', 'other']) }))
  one(req: Request) {
    seen.push(String(req.params['name']))
    return {}
  }

  @Post()
  @Body(Impossible)
  make() {
    return {}
  }
}

let app: TestApp
beforeAll(async () => {
  app = await TestApp.create({ controllers: [ThingsController] })
})
afterAll(() => app.close())

const refusal = (options: object) =>
  app.fuzz(options as FuzzOptions).then(
    () => [],
    (error) => (error instanceof ConfigError ? error.problems : Promise.reject(error)),
  )

describe('options of fuzz()', () => {
  it.each([
    ['seed', 1.5],
    ['seed', 2 ** 31],
    ['seed', '1'],
    ['runs', 0],
    ['runs', 2.5],
    ['runs', '50'],
    ['operations', 'Things_one'],
    ['skip', 'Things_one'],
    ['allow', ['stricter']],
    ['allow', { Things_one: 'anything' }],
    ['headers', 'a: b'],
    ['path', 7],
    ['path', 'Things_one'],
  ])('are refused if they contain %s: %j', async (name, value) => {
    const problems = await refusal({ seed: 1, [name]: value })
    expect(problems).toMatchObject([{ code: 'E_OPTION_INVALID', subject: `fuzz({ ${name} })` }])
  })

  it('are refused if they name an operation that is not in the document', async () => {
    const problems = await refusal({
      seed: 1,
      skip: ['Things_none'],
      allow: { Things_nobody: 'looser' },
      path: 'Things_nothing/1:2',
    })
    expect(problems.map(({ subject }) => subject)).toEqual([
      'fuzz({ skip })',
      'fuzz({ allow })',
      'fuzz({ path })',
    ])
    expect(problems[0]?.remedy).toBe('Pass an operationId: Things_mine, Things_one, Things_make.')
  })

  it('are refused if their names are unknown', async () => {
    const [problem] = await refusal({ seed: 1, run: 5 })
    expect(problem).toMatchObject({ subject: 'fuzz(): run' })
    expect(problem?.remedy).toContain('runs')
  })

  it('are refused if they contain a path without its seed', async () => {
    const [problem] = await refusal({ path: 'Things_one/0' })
    expect(problem?.remedy).toBe('Pass the seed as well.')
  })
})

describe('an operation under test', () => {
  it('is named in the error, with a remedy, if no value satisfies its schema', async () => {
    const failure = app.fuzz({ seed: 1, runs: 1 })
    await expect(failure).rejects.toThrow("fuzz({ skip: ['Things_make'] })")
  })

  it('receives no request whose path matches another operation', async () => {
    const { requests } = await app.fuzz({ seed: 1, skip: ['Things_make', 'Things_mine'] })
    expect(seen).toContain('other')
    expect(seen).not.toContain('mine')
    expect(requests).toBeLessThan(50)
  })

  it('is skipped if all its paths match another operation', async () => {
    @Controller('shadows')
    class ShadowsController {
      @Get('me')
      me() {
        return {}
      }

      @Get(':name')
      @Params(z.object({ name: z.enum(['me']) }))
      one() {
        return {}
      }
    }
    await using shadowed = await TestApp.create({ controllers: [ShadowsController] })
    expect(await shadowed.fuzz({ seed: 1, runs: 5 })).toMatchObject({ skipped: [] })
    expect(await shadowed.fuzz({ seed: 3, runs: 1 })).toMatchObject({
      operations: 1,
      requests: 1,
      skipped: ['Shadows_one'],
    })
  })

  it('must exist: fuzz() fails if its options exclude all operations, or if there are no operations', async () => {
    const nothing = app.fuzz({ seed: 1, operations: () => false })
    await expect(nothing).rejects.toThrow('fuzz() sent no requests: skip, operations or path')
    await using empty = await TestApp.create()
    await expect(empty.fuzz()).rejects.toThrow(
      'the documents of this application have no operations',
    )
  })

  it('is tested with a different seed in each fuzz() call without a seed', async () => {
    const options = { runs: 1, skip: ['Things_make'] }
    const [first, second] = [await app.fuzz(options), await app.fuzz(options)]
    expect(first.seed).not.toBe(second.seed)
  })
})

it('if fast-check is missing, fuzz() reports the command that installs it', async () => {
  vi.doMock('fast-check', () => {
    throw new Error('Cannot find package')
  })
  const problems = await loadFastCheck().then(
    () => [],
    (error: ConfigError) => error.problems,
  )
  vi.doUnmock('fast-check')
  expect(problems).toMatchObject([
    { code: 'E_PEER_MISSING', remedy: 'npm install --save-dev fast-check' },
  ])
})
