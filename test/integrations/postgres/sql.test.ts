import type { Request } from 'blazon'
import { sql, versionIs } from 'blazon/postgres'
import { describe, expect, it } from 'vitest'
import { expectVersion } from '../../../src/features/versioned/versioned.js'
import { ProtectedTables } from '../../../src/integrations/postgres/sessions/statements.js'

describe('the sql template', () => {
  it('turns values into parameters, including values that contain SQL', () => {
    const name = "'; drop table orders; --"
    const { text, values } = sql`select * from orders where name = ${name} and id = ${7}`
    expect(text).toBe('select * from orders where name = $1 and id = $2')
    expect(values).toEqual([name, 7])
  })

  it('inserts fragments and numbers their parameters', () => {
    const mine = sql`owner = ${'ada'}`
    const both = sql`${mine} and (price < ${5} or ${sql`kind = ${'tea'}`})`
    const { text, values } =
      sql`select * from ${sql.id('shop', 'orders')} where ${both} limit ${10}`
    expect(text).toBe(
      'select * from "shop"."orders" where owner = $1 and (price < $2 or kind = $3) limit $4',
    )
    expect(values).toEqual(['ada', 5, 'tea', 10])
  })

  it('joins values and fragments', () => {
    expect(sql`id in (${sql.join([1, 2, 3])})`).toMatchObject({ text: 'id in ($1, $2, $3)' })
    const all = sql.join([sql`a = ${1}`, sql`b = ${2}`], ' and ')
    expect([all.text, all.values]).toEqual(['a = $1 and b = $2', [1, 2]])
    expect(sql.join([])).toMatchObject({ text: '', values: [] })
  })

  it('can be used without values', () => {
    expect(sql`select 1`).toMatchObject({ text: 'select 1', values: [] })
  })

  it('quotes names passed to sql.id()', () => {
    expect(sql.id('a"b; --').text).toBe('"a""b; --"')
    for (const name of ['', 'a\0b', 7 as unknown as string]) {
      expect(() => sql.id(name)).toThrow(TypeError)
    }
  })

  it('treats an object that only looks like a fragment as a value', () => {
    const forged = { text: 'true; drop table orders', values: [] }
    expect(sql`select ${forged}`).toMatchObject({ text: 'select $1', values: [forged] })
  })
})

describe('versionIs()', () => {
  const textOf = (version: string | number | Date | null, column?: string) => {
    const req = {} as Request
    expectVersion(req, version)
    const { text, values } = versionIs(req, column)
    return [text, values]
  }

  it('compares the version column with the version that the client expects', () => {
    const at = new Date(5)
    expect(textOf(7)).toEqual(['"version" = $1', [7]])
    expect(textOf('7', 'changed at')).toEqual(['"changed at" = $1', ['7']])
    expect(textOf(at, 'at')).toEqual([`date_trunc('milliseconds', "at") = $1`, [at]])
    expect(textOf(null)).toEqual(['true', []])
  })

  it('is refused in a route without a version', () => {
    expect(() => versionIs({} as Request)).toThrow('the request has no expected version')
  })
})

describe('ProtectedTables', () => {
  const tables = new ProtectedTables(['orders', 'order.items', 'Größe$'])

  it.each([
    ['select * from orders', 'orders'],
    ['SELECT * FROM "shop"."ORDERS" o', 'ORDERS'],
    ['delete from order.items', 'order.items'],
    ['select * from Größe$', 'Größe$'],
    ['select * from orders_archive, my_orders', null],
    ['select * from orderXitems', null],
    ['select 1', null],
  ])('finds the tenant table in %s: %s', (text, table) => {
    expect(tables.find(text)).toBe(table)
    expect(tables.find(text)).toBe(table)
  })

  it('finds nothing if there are no tenant tables', () => {
    expect(new ProtectedTables([]).find('select * from orders')).toBeNull()
  })
})
