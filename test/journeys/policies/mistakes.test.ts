import {
  Auth,
  Cache,
  Checks,
  Controller,
  Get,
  InjectionToken,
  type PolicyRules,
  Public,
  policy,
} from 'blazon'
import { describe, expect, it } from 'vitest'
import { bootProblems, bootWarnings } from '../../support.js'
import { guard } from './shop.js'

interface Row {
  readonly owner: string
}

const RowPolicy = policy('row', { read: (user, row: Row) => row.owner === user.id })

describe('the function policy()', () => {
  it('takes its name from a class, a token or a string', () => {
    class OrderLine {
      readonly price = 1
    }
    const rules = { read: () => true }
    expect(policy(OrderLine, rules).name).toBe('orderLine')
    expect(policy(new InjectionToken<Row>('draft'), rules).name).toBe('draft')
    expect(RowPolicy.name).toBe('row')
    expect(RowPolicy.or404().or404()).toBe(RowPolicy.or404())
  })

  it('refuses invalid names and rules', () => {
    expect(() => policy('a:b', {})).toThrow(/without a colon/)
    expect(() => policy('', {})).toThrow(/without a colon/)
    expect(() => policy(undefined as never, {})).toThrow(TypeError)
    const rules = { read: 'yes' } as unknown as PolicyRules<Row, string>
    expect(() => policy('row', rules)).toThrow(/'read' is not a function/)
  })

  it('is not affected by later changes of the object with its rules', async () => {
    const rules = { read: () => false }
    const made = policy('row', rules)
    Object.assign(rules, { read: () => true, write: () => true })
    expect(await made.allows({ id: 1 }, 'read', { owner: 'ana' })).toBe(false)
    expect(await made.allows({ id: 1 }, 'write' as never, { owner: 'ana' })).toBe(false)
  })
})

describe('the @Checks() decorator', () => {
  it('accepts only a policy and its actions', () => {
    for (const other of [undefined, { or404() {} }])
      expect(() => Checks(other as never, 'read' as never)).toThrow(/result of policy/)
    expect(() => Checks(RowPolicy, 'write' as never)).toThrow(/has rules for: 'read'/)
    expect(() => (Checks as (first: unknown) => unknown)(RowPolicy)).toThrow(/specifies no action/)
  })
})

describe('the boot of an application with policies', () => {
  it('refuses two policies with the same name on a route', async () => {
    const Other = policy('row', { read: () => true })
    @Auth()
    @Controller('rows')
    class RowsController {
      @Checks(RowPolicy, 'read')
      @Checks(Other, 'read')
      @Get()
      list() {}

      @Checks(RowPolicy, 'read')
      @Checks(RowPolicy.or404(), 'read')
      @Get('both-forms')
      both() {}
    }
    const problems = await bootProblems({ controllers: [RowsController], auth: { guard } })
    expect(problems.map(({ code, subject }) => `${code} ${subject}`)).toEqual([
      'E_POLICY_NAME RowsController.list',
    ])
  })

  it('refuses a policy on a route with a cache that all users share', async () => {
    @Auth()
    @Controller('rows')
    class RowsController {
      @Checks(RowPolicy, 'read')
      @Cache({ ttl: 60, shared: true })
      @Get()
      list() {}
    }
    const problems = await bootProblems({ controllers: [RowsController], auth: { guard } })
    expect(problems.map(({ code }) => code)).toEqual(['E_CACHE_SHARED'])
  })

  it('warns about a public route whose policy requires a user', async () => {
    const Open = policy('open', { read: (user) => user === undefined }, { anonymous: true })
    @Auth()
    @Controller('rows')
    class RowsController {
      @Public()
      @Checks(RowPolicy, 'read')
      @Get()
      list() {}

      @Public()
      @Checks(Open, 'read')
      @Get('open')
      open() {}

      @Auth({ optional: true })
      @Checks(RowPolicy, 'read')
      @Get('optional')
      optional() {}
    }
    const warnings = await bootWarnings({ controllers: [RowsController], auth: { guard } })
    expect(warnings.map(({ code, text }) => [code, /\S+\.list/.test(text)])).toEqual([
      ['W_POLICY_WITHOUT_USER', true],
    ])
  })
})
