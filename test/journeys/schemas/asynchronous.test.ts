import { Body, Controller, Params, Post, Query, type Request } from 'blazon'
import { TestApp } from 'blazon/testing'
import * as v from 'valibot'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'

const later = () => new Promise((resolve) => setImmediate(resolve))

const Zod = z
  .object({ name: z.string() })
  .refine(
    async ({ name }) => {
      await later()
      return name !== 'taken'
    },
    { path: ['name'], message: 'is taken' },
  )
  .transform(async ({ name }) => ({ name, slug: name.toLowerCase() }))

const Valibot = v.pipeAsync(
  v.objectAsync({
    name: v.pipeAsync(
      v.string(),
      v.checkAsync(async (name) => {
        await later()
        return name !== 'taken'
      }, 'is taken'),
    ),
  }),
  v.transformAsync(async ({ name }) => ({ name, slug: name.toLowerCase() })),
)

/** Returns a thenable, as a schema of another realm would. */
const foreign = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: () => {
      const result = { issues: [{ message: 'is never right', path: ['name'] }] }
      // biome-ignore lint/suspicious/noExplicitAny: a promise that is not an instance of Promise
      return { then: (resolve: (value: unknown) => void) => resolve(result) } as any
    },
  },
} as const

const thrower = (error: unknown) =>
  z.object({}).transform(() => {
    throw error
  })

const rejecter = z.object({}).transform(async () => {
  throw new Error('the database is gone')
})

@Controller('users')
class UsersController {
  @Post('zod')
  @Body(Zod)
  zod(req: Request) {
    return [req.body, req.validated.body]
  }

  @Post('valibot')
  @Body(Valibot)
  valibot(req: Request) {
    return [req.body, req.validated.body]
  }

  @Post('foreign')
  @Body(foreign)
  foreign(req: Request) {
    return req.body
  }

  @Post('two')
  @Query(Zod)
  @Body(Valibot)
  two(req: Request) {
    return [req.query, req.body]
  }

  @Post('throws')
  @Body(thrower(new Error('secret of the schema')))
  throws() {
    return 'reached'
  }

  @Post('throws-nothing')
  @Body(thrower(undefined))
  throwsNothing() {
    return 'reached'
  }

  @Post('rejects')
  @Body(rejecter)
  rejects() {
    return 'reached'
  }

  @Post('rejects-and-throws/:id')
  @Params(rejecter)
  @Body(foreignThrower())
  rejectsAndThrows() {
    return 'reached'
  }
}

/** Throws synchronously, which zod never does for an asynchronous schema. */
function foreignThrower() {
  const validate = () => {
    throw new Error('at once')
  }
  return { '~standard': { version: 1, vendor: 'test', validate } } as const
}

describe('asynchronous schemas', () => {
  let app: TestApp
  const start = async () => {
    app = await TestApp.create({ contract: 'throw', controllers: [UsersController], logger: false })
    return app.request()
  }
  afterEach(() => app.close())

  it.each(['zod', 'valibot'])('pass the output of %s to the handler', async (library) => {
    const request = await start()
    const { body, status } = await request.post(`/users/${library}`).send({ name: 'Ada' })
    expect(status).toBe(200)
    expect(body.data).toEqual([
      { name: 'Ada', slug: 'ada' },
      { name: 'Ada', slug: 'ada' },
    ])
  })

  it.each(['zod', 'valibot'])(
    'result in a 400 response if %s rejects the body asynchronously',
    async (library) => {
      const request = await start()
      const { body, status } = await request.post(`/users/${library}`).send({ name: 'taken' })
      expect(status).toBe(400)
      expect(body.errors).toEqual([{ in: 'body', path: 'name', message: 'is taken' }])
    },
  )

  it('can return a thenable that is not a Promise', async () => {
    const request = await start()
    const { body, status } = await request.post('/users/foreign').send({ name: 'Ada' })
    expect(status).toBe(400)
    expect(body.errors).toEqual([{ in: 'body', path: 'name', message: 'is never right' }])
  })

  it('report two asynchronously rejected parts in one response', async () => {
    const request = await start()
    const { body } = await request.post('/users/two?name=taken').send({ name: 'taken' })
    expect(body.errors).toEqual([
      { in: 'query', path: 'name', message: 'is taken' },
      { in: 'body', path: 'name', message: 'is taken' },
    ])
  })

  it('keep the results of concurrent requests separate', async () => {
    const request = await start()
    const names = ['Ada', 'taken', 'Bob', 'taken', 'Eve']
    const answers = await Promise.all(
      names.map((name) => request.post('/users/zod').send({ name })),
    )
    expect(answers.map(({ body }) => body.data?.[0].name ?? body.errors[0].message)).toEqual([
      'Ada',
      'is taken',
      'Bob',
      'is taken',
      'Eve',
    ])
  })

  it.each(['throws', 'throws-nothing', 'rejects'])(
    'result in a 500 response without details of the cause if they fail: %s',
    async (route) => {
      const request = await start()
      const { body, status, text } = await request.post(`/users/${route}`).send({})
      expect(status).toBe(500)
      expect(body).toMatchObject({ statusCode: 'error', code: 'INTERNAL_SERVER_ERROR' })
      expect(text).not.toMatch(/secret|database/)
      const next = await request.post('/users/zod').send({ name: 'Ada' })
      expect(next.status).toBe(200)
    },
  )

  it('cause no unhandled rejection when one schema throws and another rejects', async () => {
    const unhandled: unknown[] = []
    const note = (reason: unknown) => void unhandled.push(reason)
    process.on('unhandledRejection', note)
    const request = await start()
    const { status } = await request.post('/users/rejects-and-throws/1').send({})
    await later()
    process.off('unhandledRejection', note)
    expect(status).toBe(500)
    expect(unhandled).toEqual([])
  })
})
