import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { App, Controller, inject, Log, Post, type Request, type Response } from 'blazon'
import { isSecretName, noteOf } from 'blazon/plugin'
import { describe, expect, it, onTestFinished } from 'vitest'
import { withoutSecrets } from '../../../src/integrations/typeorm/typeorm.js'
import { curlOf, snippetOf } from '../../../src/testing/fuzz/findings.js'
import { captureStdout } from '../app/captured-stdout.js'

/** Names of secrets, in the styles of fields, columns, headers and variables. */
const SECRET = `
  password userPassword passwd password_hash pwd DB_PASS pass passphrase secret clientSecret secret_access_key token accessToken
  refresh_token jwt userJwt otp otpCode totp mfa_code cvv cvv2 cvc pin auth x-auth x-auth-token authorization proxy-authorization
  cookie Set-Cookie session sessionId apiKey api_key X-API-Key privateKey encryption_key signature sig credentials csrf xsrf
  recoveryCodes verification_code code_verifier ocp-apim-subscription-key x-functions-key
  authorisation authentication passcode accessKey master_key sharedKey signing-key sshKey backupCodes securityCode bearer cvc2
`
  .trim()
  .split(/\s+/)

const OPEN = `
  author authorId authority name key idempotency-key publicKey primary_key code status spinner pinned opinion compass passed passenger
  signed design figure page user tenant requestId trace_id span_id url method route hotpath cvs mfarm jwtless
`
  .trim()
  .split(/\s+/)

const CANARY = 'canary-of-4711'
const fields = Object.fromEntries(SECRET.map((name) => [name, CANARY]))
/** Headers have no case, and no `_` behind many proxies. */
const HEADERS = SECRET.filter((name) => !/_|[a-z][A-Z]/.test(name))
const headers = Object.fromEntries(HEADERS.map((name) => [name, CANARY]))

@Controller('all')
class AllController {
  readonly #log = inject(Log)

  @Post() all(req: Request, res: Response) {
    this.#log.warn({ ...fields, flags: { token: null, hasPassword: true, pin: 4711 } }, 'fields')
    noteOf(req)?.({ by: 'note', verdict: 'noted', facts: { fields, list: [fields] } })
    for (const name of HEADERS) res.setHeader(name, CANARY)
    throw Object.assign(new Error('failed'), { config: fields })
  }
}

/** Everything that an application writes about one request that has a secret under each name. */
async function writtenOf() {
  const { text, lines } = captureStdout()
  const folder = mkdtempSync(join(tmpdir(), 'blazon-names-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const app = new App({
    controllers: [AllController],
    swagger: false,
    logs: true,
    records: { capsules: { folder } },
  })
  onTestFinished(() => app.close())
  const { port } = await app.listen(0, { host: '127.0.0.1', announce: false })
  const query = new URLSearchParams({ ...fields, code: CANARY, page: '2' })
  const response = await fetch(`http://127.0.0.1:${port}/all?${query}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ ...fields, deep: [fields], name: 'Ada' }),
  })
  expect(response.status).toBe(500)
  await app.close()
  const [file = ''] = readdirSync(folder).filter((each) => each.endsWith('.json'))
  const capsule = readFileSync(join(folder, file), 'utf8')
  return { lines: lines(), text: text(), capsule }
}

describe('the names of secrets', () => {
  it.each(SECRET)('include %s', (name) => {
    expect(isSecretName(name)).toBe(true)
  })

  it.each(OPEN)('exclude %s', (name) => {
    expect(isSecretName(name)).toBe(false)
  })

  it('cause their values to be hidden in log lines, records and capsules, unlike other names', async () => {
    const { text, lines, capsule } = await writtenOf()
    expect(text).not.toContain(CANARY)
    expect(lines.find(({ message }) => message === 'fields')).toMatchObject({
      otp: '[redacted]',
      refresh_token: '[redacted]',
      // Whether there is one is not a secret.
      flags: { token: null, hasPassword: true, pin: '[redacted]' },
    })
    expect(lines.find(({ url }) => url !== undefined)?.['url']).toMatch(/code=\[secret\]&page=2$/)
    expect(capsule).not.toContain(CANARY)
    const { record, sent } = JSON.parse(capsule)
    expect(record.url).toMatch(/code=\[secret\]&page=2$/)
    expect(sent.body).toContain('"name":"Ada"')
    const note = record.decisions.find(({ by }: { by: string }) => by === 'note')
    expect(note.facts.list).toEqual([Object.fromEntries(SECRET.map((name) => [name, '[secret]']))])
  })

  it('cause their values to be hidden in the commands and tests that fuzz() prints', () => {
    const request = { method: 'GET', target: '/', headers: {}, without: [], body: null }
    const given = new Map(
      Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
    )
    const setting = { headers: given, own: headers, as: undefined }
    expect(curlOf(request as never, setting)).not.toContain(CANARY)
    const snippet = snippetOf(request as never, setting, { kind: 'server-error' } as never)
    expect(snippet).not.toContain(CANARY)
    expect(snippet).toContain('<secret>')
  })

  it('cause their values, and private keys, to be hidden in the errors of a TypeORM data source', () => {
    const key = '-----BEGIN PRIVATE KEY-----\nMII\n-----END PRIVATE KEY-----'
    const options = { host: 'db.example', deep: fields, ssl: { key } }
    const { message } = withoutSecrets(new Error(`db.example ${CANARY} ${key}`), options)
    expect(message).toBe('db.example *** ***')
  })
})
