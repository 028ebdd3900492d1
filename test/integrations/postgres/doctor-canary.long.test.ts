import { afterAll, beforeAll, expect, it } from 'vitest'
import { CURRENT, Patient, SETTING } from './doctor-patient.js'
import { describeWithServer, ownServerDatabase } from './own-database.js'

const table = (type: string, policy: string) => `
  create table $t (tenant_id ${type} not null default nullif(${SETTING}, ''), note text, primary key (tenant_id));
  alter table $t enable row level security; alter table $t force row level security;
  create policy p on $t to $one using (${policy}) with check (${policy});
  grant select, insert, update, delete on $t to $one`

type Case = readonly [what: string, type: string, policy: string, difference: RegExp]

const CONFUSED: readonly Case[] = [
  ['varchar(5)', 'text', `tenant_id::varchar(5) = ${CURRENT}::varchar(5)`, /one tenant sees rows/],
  ...[20, 63, 64, 100, 127].map(
    (n): Case => [
      `varchar(${n})`,
      'text',
      `tenant_id::varchar(${n}) = ${CURRENT}::varchar(${n})`,
      /its last character/,
    ],
  ),
  [
    'varchar(128) of the setting',
    'text',
    `tenant_id = ${CURRENT}::varchar(128)`,
    /an additional character/,
  ],
  [
    'the length of a full column',
    'varchar(40)',
    `tenant_id = ${CURRENT}::varchar(40)`,
    /an additional character/,
  ],
  ['char(n)', 'text', `tenant_id::char(50) = ${CURRENT}::char(50)`, /its last character/],
  ['trailing blanks', 'text', `tenant_id::bpchar = ${CURRENT}::bpchar`, /a space at its end/],
  ['a column of type char(n)', 'char(64)', `tenant_id = ${CURRENT}::bpchar`, /a space at its end/],
  ['name', 'text', `tenant_id::name = ${CURRENT}::name`, /its last character/],
  ['a column of type name', 'name', `tenant_id = ${CURRENT}::name`, /an additional character/],
  ['lower()', 'text', `lower(tenant_id) = lower(${CURRENT})`, /capital letters/],
  ['trim()', 'text', `trim(tenant_id) = trim(${CURRENT})`, /a space at its end/],
  ['left()', 'text', `left(tenant_id, 30) = left(${CURRENT}, 30)`, /its last character/],
  ['LIKE', 'text', `tenant_id like ${CURRENT}`, /its last character/],
  ['LIKE %', 'text', `tenant_id like ${CURRENT} || '%'`, /a character at its end/],
  ['% LIKE', 'text', `${CURRENT} like tenant_id || '%'`, /an additional character/],
  ['ILIKE', 'text', `tenant_id ilike ${CURRENT}`, /capital letters/],
  ['~', 'text', `tenant_id ~ ('^' || ${CURRENT} || '$')`, /a dot/],
  [
    'translate()',
    'text',
    `translate(tenant_id, '-_', '') = translate(${CURRENT}, '-_', '')`,
    /punctuation mark/,
  ],
]

describeWithServer('the canary test', () => {
  let patient: Patient
  beforeAll(async () => {
    patient = await Patient.open(ownServerDatabase)
  })
  afterAll(() => patient[Symbol.asyncDispose]())

  it.each(CONFUSED)(
    'finds a policy that confuses two tenants because of %s',
    async (_, type, policy, difference) => {
      const name = patient.newName()
      await patient.run(table(type, policy), name)
      const findings = await patient.findings()
      const rows = await patient.run('select * from $t', name)
      await patient.run('drop table $t', name)
      const [found] = findings.filter(({ code }) => code === 'E_DATABASE_CANARY')
      expect(found?.subject).toBe(`table public.${name}`)
      expect(found?.cause).toMatch(difference)
      expect(rows, 'nothing is left').toEqual([])
    },
  )

  it.each(['text', 'varchar', 'varchar(128)', 'varchar(16)', 'varchar(4)'])(
    'accepts a comparison with = in a column of type %s',
    async (type) => {
      const name = patient.newName()
      await patient.run(table(type, `tenant_id = ${CURRENT}`), name)
      const findings = await patient.findings()
      await patient.run('drop table $t', name)
      expect(findings).toEqual([])
    },
  )

  it('finds a policy that allows all rows even if the column type is a domain', async () => {
    await patient.run(`create domain tenant as text; ${table('tenant', 'true')}`, 'owned')
    const findings = await patient.findings()
    await patient.run('drop table owned; drop domain tenant')
    expect(new Set(findings.map(({ code }) => code))).toEqual(
      new Set(['E_DATABASE_COLUMN', 'E_DATABASE_POLICY', 'E_DATABASE_CANARY']),
    )
  })
})

describeWithServer('the canary test of a column', () => {
  let patient: Patient
  beforeAll(async () => {
    patient = await Patient.open(ownServerDatabase)
    await patient.run(`
      create extension citext;
      create collation no_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
      create collation no_accents (provider = icu, locale = 'und-u-ks-level1-kc', deterministic = false);
      create collation no_marks (provider = icu, locale = 'und-u-ka-shifted', deterministic = false)`)
  })
  afterAll(() => patient[Symbol.asyncDispose]())

  it.each([
    ['citext', `tenant_id = ${CURRENT}::citext`, /capital letters/],
    ['text collate no_case', `tenant_id = ${CURRENT}`, /capital letters/],
    ['varchar(60) collate no_case', `tenant_id = ${CURRENT}`, /capital letters/],
    ['text collate no_accents', `tenant_id = ${CURRENT}`, /an accent/],
    ['text collate no_marks', `tenant_id = ${CURRENT}`, /punctuation mark/],
  ])(
    'finds a policy that confuses two tenants in a column of type %s',
    async (type, policy, difference) => {
      const name = patient.newName()
      await patient.run(table(type, policy), name)
      const findings = await patient.findings()
      await patient.run('drop table $t', name)
      const [found] = findings.filter(({ code }) => code === 'E_DATABASE_CANARY')
      expect(found?.cause).toMatch(difference)
    },
  )
})
