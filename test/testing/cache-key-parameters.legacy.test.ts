import { Cache, Controller, Get, Query } from 'blazon'
import { TestApp } from 'blazon/testing'
import { expect, it } from 'vitest'
import { z } from 'zod'

const Paging = z.object({ page: z.coerce.number().default(1), sort: z.string().optional() })

@Controller('lists')
class ListsController {
  @Get()
  @Cache({ ttl: 60, key: (req) => `page ${req.query.page}` })
  list(@Query(Paging) query: z.infer<typeof Paging>) {
    return { page: query.page, sort: query.sort ?? 'none' }
  }
}

it('a field of a decorated parameter that is missing from the cache key is reported', async () => {
  await using app = await TestApp.create({ controllers: [ListsController], contract: 'throw' })
  await expect(app.fetch('/lists?page=2')).rejects.toThrow('cache-key query.sort')
})
