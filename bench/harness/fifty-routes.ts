// An application of ten controllers with five routes each, as its users write it.
import {
  ApiResponseDoc,
  Auth,
  Body,
  Controller,
  Delete,
  defineControllers,
  Get,
  HttpCode,
  Params,
  Post,
  Put,
  Query,
} from 'blazon'
import { z } from 'zod'

const Id = z.object({ id: z.string().min(1).max(40) })
const Page = z.object({
  page: z.coerce.number().int().min(1).default(1),
  tag: z.string().optional(),
})
const CONTROLLERS = 10

function controllerOf(index: number) {
  const Thing = z.object({
    name: z.string().min(1).max(100),
    price: z.number().min(0),
    tags: z.array(z.string()).max(index + 1),
  })

  @Controller(`things-${index}`)
  class ThingsController {
    @Get()
    @Query(Page)
    list() {
      return [{ id: '1' }]
    }

    @Get(':id')
    @Params(Id)
    read(req: { params: { id: string } }) {
      return { id: req.params.id }
    }

    @Auth()
    @Post()
    @HttpCode(201)
    @Body(Thing)
    @ApiResponseDoc({ status: 201, description: 'The thing', schema: Thing })
    create(req: { body: object }) {
      return req.body
    }

    @Auth()
    @Put(':id')
    @Params(Id)
    @Body(Thing)
    replace(req: { body: object }) {
      return req.body
    }

    @Auth()
    @Delete(':id')
    @Params(Id)
    remove() {
      return null
    }
  }
  return ThingsController
}

const guard = { canActivate: async () => true }

/** Fifty routes, half of them guarded. */
export const options = {
  controllers: defineControllers(...Array.from({ length: CONTROLLERS }, (_, n) => controllerOf(n))),
  auth: { guard },
}
