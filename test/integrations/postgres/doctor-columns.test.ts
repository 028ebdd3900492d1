import { describe, expect, it } from 'vitest'
import {
  boundColumn,
  type ComparedColumn,
  keepsApart,
} from '../../../src/integrations/postgres/doctor/bound-column.js'
import {
  canaryColumns,
  canaryTenant,
  lookAlikesOf,
} from '../../../src/integrations/postgres/doctor/canary-rows.js'
import type { TenantColumn } from '../../../src/integrations/postgres/doctor/examination.js'

const column = (type: string, more: Partial<ComparedColumn> = {}): ComparedColumn => ({
  ...{ name: 'tenant_id', type, isDeterministic: true },
  ...more,
})

const SETTING = "current_setting('app.tenant_id'::text, true)"
const VALUE = `NULLIF(${SETTING}, ''::text)`
const QUERY = `( SELECT ${VALUE} AS "nullif")`

describe('a condition of a policy', () => {
  it.each<[string, string]>([
    [`(tenant_id = ${VALUE})`, 'text'],
    [`(tenant_id = ${QUERY})`, 'text'],
    [`(${QUERY} = tenant_id)`, 'text'],
    [`(tenant_id = current_setting('app.tenant_id'::text))`, 'text'],
    [`((tenant_id = ${VALUE}) AND (note = 'a AND b'::text))`, 'text'],
    [`((note = 'a'::text) AND (kind = 1) AND (tenant_id = ${VALUE}))`, 'text'],
    [`(((tenant_id = ${VALUE}) AND (a = 1)) AND (b = 2))`, 'text'],
    [`((tenant_id)::text = ${VALUE})`, 'character varying'],
    [`((tenant_id)::text = ${VALUE})`, 'uuid'],
    [`(tenant_id = (${VALUE})::uuid)`, 'uuid'],
    [`(tenant_id = ( SELECT (${VALUE})::uuid AS "nullif"))`, 'uuid'],
    [`((${QUERY})::bigint = tenant_id)`, 'bigint'],
    [`(tenant_id = (${VALUE})::integer)`, 'bigint'],
    [`((tenant_id)::text = ${VALUE})`, 'smallint'],
  ])('limits the rows to one tenant: %s', (condition, type) => {
    expect(boundColumn(condition, [column(type)])?.name).toBe('tenant_id')
  })

  it.each<[string, string]>([
    ['true', 'text'],
    [`(other = ${VALUE})`, 'text'],
    [`(tenant_id <> ${VALUE})`, 'text'],
    [`(tenant_id = current_setting('app.other'::text, true))`, 'text'],
    [`((tenant_id = ${VALUE}) OR (note = 'a'::text))`, 'text'],
    [`((note = 'a'::text) OR ((tenant_id = ${VALUE}) AND true))`, 'text'],
    [`(NOT (tenant_id = ${VALUE}))`, 'text'],
    [`(lower(tenant_id) = ${VALUE})`, 'text'],
    [`(tenant_id OPERATOR(own.=) ${VALUE})`, 'text'],
    [`((tenant_id)::text = ${VALUE})`, 'text'],
    [`(tenant_id = ${VALUE})`, 'character varying'],
    [`(tenant_id = (${VALUE})::integer)`, 'uuid'],
    [`(tenant_id = ${VALUE})`, 'numeric'],
    [`(tenant_id = COALESCE(${VALUE}, tenant_id))`, 'text'],
    [`(tenant_id = NULLIF(${SETTING}, 'x'::text))`, 'text'],
    [`(tenant_id = ( SELECT ${VALUE} AS "nullif" FROM a))`, 'text'],
  ])('does not limit the rows to one tenant: %s', (condition, type) => {
    expect(boundColumn(condition, [column(type)])).toBeUndefined()
  })

  it('can compare a column with an unusual name', () => {
    const odd = column('text', { name: 'Own "id".*' })
    expect(boundColumn(`("Own ""id"".*" = ${VALUE})`, [column('text'), odd])).toBe(odd)
    expect(boundColumn(`("Own ""id""xx" = ${VALUE})`, [odd])).toBeUndefined()
    const hostile = column('text', { name: 'x|tenant_id' })
    expect(boundColumn(`(tenant_id = ${VALUE})`, [hostile])).toBeUndefined()
  })

  it('does not limit the rows if more follows the comparison', () => {
    for (const type of ['text', 'uuid', 'bigint']) {
      const value = type === 'text' ? VALUE : `(${VALUE})::${type}`
      expect(boundColumn(`(tenant_id = ${value})`, [column(type)])).toBeDefined()
      for (const more of [' OR true', ' IS NOT FALSE', ' COLLATE "x"'])
        expect(boundColumn(`(tenant_id = ${value}${more})`, [column(type)])).toBeUndefined()
    }
  })

  it('is only known to be safe for types whose values differ by =', () => {
    const types = ['text', 'character varying', 'uuid', 'smallint', 'integer', 'bigint']
    expect(types.every((type) => keepsApart(column(type)))).toBe(true)
    const others = ['character', 'name', 'numeric', 'public.citext', 'boolean']
    expect(others.some((type) => keepsApart(column(type)))).toBe(false)
    const alike = { isDeterministic: false }
    expect(['text', 'character varying'].some((type) => keepsApart(column(type, alike)))).toBe(
      false,
    )
    expect(keepsApart(column('uuid', alike))).toBe(true)
    expect(boundColumn(`(tenant_id = ${VALUE})`, [column('text', alike)])).toBeUndefined()
  })
})

const tenantColumn = (baseType: string, length: number | null = null) =>
  ({ ...column(baseType), baseType, length }) as TenantColumn

describe('the tenants that the doctor invents', () => {
  it.each<[string, number | null, RegExp | null]>([
    ['text', null, /^Canary-[\da-f]{121}$/],
    ['character varying', 40, /^Canary-[\da-f]{33}$/],
    ['character varying', 16, /^Canary-[\da-f]{9}$/],
    ['character varying', 15, null],
    ['character varying', 500, /^Canary-[\da-f]{121}$/],
    ['name', null, /^Canary-[\da-f]{56}$/],
    ['public.citext', null, /^Canary-/],
    ['citext', null, /^Canary-/],
    ['uuid', null, /^[\da-f]{8}-[\da-f-]{27}$/],
    ['bigint', null, /^-[1-9]\d*$/],
    ['numeric', null, /^-[1-9]\d*$/],
    ['boolean', null, null],
  ])('have ids of the type %s (%s)', (type, length, pattern) => {
    const id = canaryTenant(tenantColumn(type, length))
    if (pattern === null) expect(id).toBeNull()
    else expect(id).toMatch(pattern)
    expect(canaryTenant(tenantColumn(type, length)) === id).toBe(pattern === null)
  })

  it('have look-alikes that a wrong comparison could confuse with them', () => {
    const found = lookAlikesOf('Canary-01', tenantColumn('text'))
    expect(found.map(({ id }) => id)).toEqual([
      ...['Canary-0_', 'Canary-0.', 'Canary-0', 'Canary-01x', 'Canary-01 '],
      ...['CANARY-01', 'Cánary-01', 'Canary_01'],
    ])
    expect(new Set(found.map(({ difference }) => difference)).size).toBe(8)
    expect(lookAlikesOf('-7', tenantColumn('bigint'))).toEqual([])
  })

  it('have rows with a value for each column that needs one', async () => {
    const rows = [
      { name: 'n', type: 'bigint', category: 'N', kind: 'b', counts: true },
      { name: 'Mood', type: 'mood', category: 'E', kind: 'e', counts: false },
      { name: 'u', type: 'uuid', category: 'U', kind: 'b', counts: false },
      { name: 'j', type: 'jsonb', category: 'U', kind: 'b', counts: false },
      { name: 'x', type: 'bytea', category: 'U', kind: 'b', counts: false },
      { name: 'd', type: 'date', category: 'D', kind: 'b', counts: false },
      { name: 'l', type: 'text[]', category: 'A', kind: 'b', counts: false },
      { name: 'p', type: 'point', category: 'G', kind: 'b', counts: false },
    ]
    const asked: unknown[] = []
    const query = async ({ values }: { values: unknown }) => {
      asked.push(values)
      return { rows }
    }
    const columns = await canaryColumns({ query } as never, { oid: 7 } as never)
    expect(asked).toEqual([[7]])
    expect(columns).toEqual([
      { name: 'n', value: expect.stringMatching(/^-[1-9]\d*$/) },
      { name: '"Mood"', value: '(enum_range(null::mood))[1]' },
      { name: 'u', value: expect.stringMatching(/^'[\da-f-]{36}'::uuid$/) },
      { name: 'j', value: "'{}'::jsonb" },
      { name: 'x', value: "''::bytea" },
      { name: 'd', value: "'now'::date" },
      { name: 'l', value: "'{}'::text[]" },
      { name: 'p', value: 'null::point' },
    ])
  })
})
