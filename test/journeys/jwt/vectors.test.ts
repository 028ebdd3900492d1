import { jwt } from 'blazon/jwt'
import { describe, expect, it } from 'vitest'
import { createGuarded } from './app.js'

// The examples of RFC 7515 A.1 to A.5, RFC 7519 3.1 and 6.1, and RFC 8037 A.4.
const CLAIMS =
  'eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ'
const HS256 = {
  key: {
    kty: 'oct',
    k: 'AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow',
  },
  token: `eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.${CLAIMS}.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk`,
}
const RS256 = {
  key: {
    kty: 'RSA',
    n: 'ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ',
    e: 'AQAB',
  },
  token: `eyJhbGciOiJSUzI1NiJ9.${CLAIMS}.cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw`,
}
const ES256 = {
  key: {
    kty: 'EC',
    crv: 'P-256',
    x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
    y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
  },
  token: `eyJhbGciOiJFUzI1NiJ9.${CLAIMS}.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q`,
}
const ED25519 = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }

/** The second before the tokens end. */
const BEFORE = new Date(1_300_819_379_000)

describe('the example tokens of the RFCs', () => {
  it.each(Object.entries({ HS256, RS256, ES256 }))(
    'are verified with %s',
    async (_, { key, token }) => {
      const guard = jwt({ keys: key, issuer: 'joe', user: (claims) => claims, clockTolerance: 0 })
      const { app, send } = await createGuarded(guard)
      app.clock.set(BEFORE)
      const claims = { iss: 'joe', exp: 1300819380, 'http://example.com/is_root': true }
      expect(await send(token)).toMatchObject({ status: 200, data: claims })
      await app.clock.advance('1s')
      expect((await send(token)).status).toBe(401)
    },
  )

  it('are verified only by their own keys', async () => {
    const all = Object.entries({ HS256, RS256, ES256 })
    for (const [name, { key }] of all) {
      const guard = jwt({ keys: key, user: (claims) => claims })
      const { app, send } = await createGuarded(guard)
      app.clock.set(BEFORE)
      for (const [other, { token }] of all) {
        expect((await send(token)).status, `${name} ${other}`).toBe(name === other ? 200 : 401)
      }
    }
  })

  it('are refused if they have no signature or no claims', async () => {
    const guard = jwt({ keys: [HS256.key, ED25519], user: (claims) => claims })
    const { app, send } = await createGuarded(guard)
    app.clock.set(BEFORE)
    const signed =
      'eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg'
    for (const token of [`eyJhbGciOiJub25lIn0.${CLAIMS}.`, signed]) {
      expect((await send(token)).status).toBe(401)
    }
  })
})
