import { ApiResponseDoc, App, Auth, Controller, Get } from 'blazon'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { emitClient } from '../../src/cli/client/emit-client.js'

const Person = z
  .object({
    name: z.string(),
    salary: z.string().meta({ visibleTo: 'payroll:read' }),
    street: z.string().meta({ visibleTo: 'hr:read' }),
  })
  .meta({ id: 'PersonOfClient' })

@Auth()
@Controller('people')
class People {
  @ApiResponseDoc({ status: 200, schema: Person })
  @Get()
  get() {
    return { name: 'Ana' }
  }
}

/** The type of a person in the client of a document. */
function personIn(swagger: { readonly audience?: string | readonly string[] }) {
  const auth = { guard: { canActivate: () => true } }
  const { document } = new App({ controllers: [People], auth, swagger, logger: false })
  return /PersonOfClient\b[^{]*\{[^}]*\}/.exec(emitClient(document))?.[0]
}

it('a field with an audience is optional in the types of a client', () => {
  expect(personIn({})).toMatch(/name: string[\s\S]*salary\?: string[\s\S]*street\?: string/)
})

it('a client for an audience has only public fields and the fields of this audience', () => {
  const payroll = personIn({ audience: 'payroll:read' })
  expect(payroll).toMatch(/salary: string/)
  expect(payroll).not.toContain('street')
  expect(personIn({ audience: [] })).toMatch(/\{\s*name: string;?\s*\}/)
})
