import {
  ApiResponseDoc,
  type Class,
  Controller,
  csv,
  cursor,
  Get,
  Paged,
  Post,
  Produces,
  Query,
} from 'blazon'
import { expect, it, vi } from 'vitest'
import { z } from 'zod'
import { bootProblems, bootWarnings } from '../../support.js'
import { KEYS } from './notes-app.js'

const Note = z.object({ id: z.int() }).meta({ id: 'UnboundedNote' })
const Notes = z.array(Note)
const NotePages = cursor(Note, { order: ['id'] })

const failing = (schema: z.ZodType) => ApiResponseDoc({ status: 409, description: 'Used', schema })
const doc = (schema: z.ZodType) => ApiResponseDoc({ status: 200, description: 'Notes', schema })

@Controller('unbounded')
class Unbounded {
  @Get('data') @doc(Notes) data() {
    return []
  }

  @Get('items') @doc(z.object({ items: Notes, total: z.int() })) items() {
    return { items: [], total: 0 }
  }

  @Get('filtered') @Query(z.object({ color: z.string() })) @doc(Notes) filtered() {
    return []
  }
}

@Controller('tables')
class Tables {
  @Get('either') @Produces('application/json', csv()) @doc(Notes) either() {
    return []
  }
}

@Controller('bounded')
class Bounded {
  @Get('paged') @Paged(NotePages) paged({ page }: Paged<typeof NotePages>) {
    return page.of([])
  }

  @Get('max') @doc(Notes.max(50)) max() {
    return []
  }

  @Get('limit') @Query(z.object({ limit: z.coerce.number().max(9) })) @doc(Notes) limit() {
    return []
  }

  @Get('size') @Query(z.object({ page_size: z.coerce.number().max(9) })) @doc(Notes) size() {
    return []
  }

  @Get('part') @doc(z.object({ name: z.string(), lines: Notes })) part() {
    return { name: '', lines: [] }
  }

  @Get('plain') @doc(z.array(z.string())) plain() {
    return []
  }

  @Get('undescribed') undescribed() {
    return []
  }

  @Get('export') @Produces(csv()) @doc(Notes) async export() {
    return (async function* () {
      yield { id: 1 }
    })()
  }

  @Get('failed') @doc(Note) @failing(Notes) failed() {
    return { id: 1 }
  }

  @Post('created') @doc(Notes) created() {
    return []
  }
}

const cookies = { keys: KEYS }

it('boot warns once about all lists without a maximum length', async () => {
  const warnings = await bootWarnings({ controllers: [Unbounded, Tables, Bounded], cookies })
  expect(warnings).toMatchObject([{ code: 'W_RESPONSE_UNBOUNDED' }])
  expect(warnings[0]?.text).toContain(
    'Unbounded.data, Unbounded.items, Unbounded.filtered, Tables.either\n',
  )
  expect(warnings[0]?.text).toContain('@Paged(cursor(Item')
})

it('a list without a maximum length causes an error with `strict`', async () => {
  const problems = await bootProblems({ controllers: [Unbounded], strict: true })
  expect(problems).toMatchObject([{ code: 'W_RESPONSE_UNBOUNDED' }])
})

it('boot does not check lists in production', async () => {
  vi.stubEnv('NODE_ENV', 'production')
  try {
    expect(await bootWarnings({ controllers: [Unbounded], swagger: { enabled: true } })).toEqual([])
  } finally {
    vi.unstubAllEnvs()
  }
})

function listedBy(parameter: string): Class {
  @Controller('listed')
  class Listed {
    @Get() @Query(z.object({ [parameter]: z.string() })) @doc(Notes) list() {
      return []
    }
  }
  return Listed
}

it.each([
  'count',
  'take',
  'first',
  '$top',
  'size',
  'perPage',
  'per_page',
  'max-results',
  'pageItems',
  'LIMIT',
])(
  'boot accepts a list without a maximum length if the query parameter %s limits it',
  async (parameter) => {
    expect(await bootWarnings({ controllers: [listedBy(parameter)] })).toEqual([])
  },
)

it.each(['page', 'offset', 'limited', 'country'])(
  'boot warns about a list without a maximum length with the query parameter %s',
  async (parameter) => {
    expect(await bootWarnings({ controllers: [listedBy(parameter)] })).toHaveLength(1)
  },
)
