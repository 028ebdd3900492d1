import { Auth, Controller, defineControllers, Get, HttpError } from 'blazon'
import { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'

@Controller('vault')
class Vault {
  @Auth() @Get() open() {
    return 'open'
  }
}

const controllers = defineControllers(Vault)
const errorWith = (facts: object) => Object.assign(new Error('closed today'), facts)

async function ask(canActivate: () => boolean | Promise<boolean>) {
  const auth = { guard: { canActivate } }
  await using app = await TestApp.create({ controllers, auth, logger: false, contract: 'off' })
  const { status, body, headers } = await app.request().get('/vault')
  return { status, message: body.message, scheme: headers['www-authenticate'] }
}

/** Errors like those of `http-errors`, which Express middlewares throw. */
const decision = (status: number) => ({ status, statusCode: status, expose: status < 500 })

describe('an error that a guard throws', () => {
  it.each([400, 403, 404, 429, 503])(
    'is sent with its status %i if it has the fields of an http-errors error',
    async (status) => {
      const thrown = await ask(() => {
        throw errorWith(decision(status))
      })
      expect([thrown.status, thrown.scheme]).toEqual([status, undefined])
      const rejected = await ask(() => Promise.reject(errorWith(decision(status))))
      expect(rejected).toEqual(thrown)
    },
  )

  it.each([
    ['no status', {}],
    ['only a status, like an error of an HTTP client', { status: 403 }],
    ['two different statuses', { status: 403, statusCode: 404, expose: true }],
    ['a string as its status', { status: '403', statusCode: '403', expose: true }],
  ])('becomes a 401 error if it has %s', async (_, facts) => {
    const { status, scheme } = await ask(() => {
      throw errorWith(facts)
    })
    expect([status, scheme]).toEqual([401, 'Bearer'])
  })

  it('is not replaced if it is an HttpError, even with status 500', async () => {
    const { status } = await ask(() => {
      throw new HttpError(500, 'broken')
    })
    expect(status).toBe(500)
  })
})
