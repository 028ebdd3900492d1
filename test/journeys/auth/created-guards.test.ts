import { App, Auth, Controller, Get } from 'blazon'
import { describe, expect, it } from 'vitest'
import { bootProblems } from '../../support.js'

@Auth()
@Controller('a')
class Plain {
  @Get()
  get() {
    return 1
  }
}

const problemsOf = async (auth: object) =>
  (await bootProblems({ controllers: [Plain], auth })).map(({ subject, cause, remedy }) => ({
    subject,
    text: `${cause} ${remedy}`,
  }))

describe('the check of a guard that the application creates', () => {
  it('refuses members of a created guard that its class or token does not show', async () => {
    class Hidden {
      readonly security = { type: 'http', scheme: 'basic' } as const
      scopes() {
        return []
      }
      contract() {
        return null
      }
      abilityChallenge() {
        return undefined
      }
      canActivate() {
        return true
      }
    }
    const names = ['security', 'scopes', 'contract', 'abilityChallenge']
    const found = await problemsOf({ guard: Hidden })
    expect(found.map(({ text }) => /`(\w+)`/.exec(text)?.[1])).toEqual(names)
    expect(found[0]?.text).toMatch(/Pass the guard itself, or write `static security`\.$/)
    const providers = [{ token: 'guard', useClass: Hidden }]
    const auth = { guard: 'guard' }
    const [problem] = await bootProblems({ controllers: [Plain], providers, auth })
    expect(problem?.remedy).toBe('Pass the guard itself.')
  })

  it('accepts a method `tenantOf` of a class, which its prototype shows', async () => {
    class OfTenant {
      canActivate() {
        return true
      }
      tenantOf() {
        return undefined
      }
    }
    const auth = { guard: OfTenant }
    await using app = await App.create({ controllers: [Plain], auth, logger: false })
    expect(app.getRouteTable()).toHaveLength(1)
  })

  it('accepts members of a created guard that have another type and purpose', async () => {
    class Own {
      readonly security = 'strict'
      readonly scopes = ['a']
      readonly credentials = 'none'
      readonly checksTenant = false
      canActivate() {
        return true
      }
    }
    const app = await App.create({
      controllers: [Plain],
      auth: { guard: Own as never },
      logger: false,
    })
    await app.close()
  })

  it('refuses a created guard whose challenge is not a header value', async () => {
    class Wrong {
      readonly challenge = 'a\nb'
      canActivate() {
        return true
      }
    }
    expect(await problemsOf({ guard: Wrong })).toMatchObject([{ subject: 'auth.guard.challenge' }])
  })
})

describe('the contract of a guard', () => {
  it('is added only to the routes that the guard protects', () => {
    @Controller('own')
    class Own {
      @Auth('user') @Get('user') user() {}
      @Auth('partner') @Get('partner') partner() {}
      @Auth('user', 'partner') @Get('both') both() {}
      @Get('open') open() {}
    }
    const adding = (status: number) => ({
      canActivate: () => true,
      contract: () => ({ errors: [status] }),
    })
    const auth = { guards: { user: adding(451), partner: adding(418) } }
    const { paths } = new App({ controllers: [Own], auth, logger: false }).document
    const found = ['user', 'partner', 'both', 'open'].map((name) => {
      const statuses = Object.keys(paths[`/own/${name}`]?.get?.responses ?? {})
      return statuses.filter((status) => ['418', '451'].includes(status))
    })
    expect(found).toEqual([['451'], ['418'], ['418', '451'], []])
  })
})
