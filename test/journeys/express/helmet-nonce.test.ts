import { Controller, defineControllers, Get, type Response } from 'blazon'
import { describe, expect, it } from 'vitest'
import { appsOfTest } from './support.js'

@Controller('page')
class PageController {
  @Get()
  page() {
    return 'page'
  }
}

const controllers = defineControllers(PageController)
const nonceOf = (policy: unknown) => /'nonce-([^']+)'/.exec(String(policy))?.[1]

describe('a function in a helmet directive', () => {
  const apps = appsOfTest()
  let count = 0
  const nonce = (_req: unknown, res: unknown) => {
    const { locals } = res as Response
    locals.nonce ??= `n${++count}`
    return `'nonce-${locals.nonce}'`
  }

  it.each<[string, Iterable<string | typeof nonce>]>([
    ['after a fixed value', ["'self'", nonce]],
    ['before a fixed value', [nonce, "'self'"]],
    ['between fixed values', ["'self'", nonce, 'https://a.example']],
    ['alone', [nonce]],
    ['in a Set', new Set(["'self'", nonce])],
  ])('is called for each response: %s', async (_, scriptSrc) => {
    const contentSecurityPolicy = { directives: { scriptSrc } }
    const security = { helmet: { contentSecurityPolicy } }
    const app = await apps.inProcess({ controllers, security })
    const nonces = []
    for (let i = 0; i < 3; i++) {
      const { headers } = await app.request().get('/page')
      nonces.push(nonceOf(headers['content-security-policy']))
    }
    expect(nonces).not.toContain(undefined)
    expect(new Set(nonces).size).toBe(3)
  })
})
