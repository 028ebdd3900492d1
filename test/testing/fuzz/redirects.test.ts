import {
  ApiResponseDoc,
  Controller,
  Get,
  Post,
  Redirect,
  type Request,
  type Response,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { expect, it } from 'vitest'
import { z } from 'zod'

@Controller('moved')
class MovedController {
  @Get()
  @Redirect('/elsewhere')
  moved() {}

  @Post()
  @Redirect('/elsewhere', 303)
  created() {}
}

it('fuzz() accepts redirects without a body, which Express sends to clients that accept neither text nor HTML', async () => {
  await using app = await TestApp.create({ controllers: [MovedController] })
  for (const seed of [3, 4, 5]) {
    expect(await app.fuzz({ seed })).toMatchObject({ operations: 2, refused: [], skipped: [] })
  }
})

@Controller('stated')
class StatedController {
  @Get()
  @ApiResponseDoc({ status: 303, contentType: 'application/json', schema: z.object({}) })
  stated(_: Request, res: Response) {
    res.status(303).location('/elsewhere').end()
    return res
  }

  @Post()
  @Redirect('/elsewhere', 303)
  lost(_: Request, res: Response) {
    res.status(303).end()
    return res
  }
}

it('fuzz() reports redirects that lack a documented body or the Location header', async () => {
  await using app = await TestApp.create({ controllers: [StatedController] })
  const fuzz = (wanted: string) =>
    app.fuzz({ seed: 1, operations: ({ handler }) => handler === `StatedController.${wanted}` })
  await expect(fuzz('stated')).rejects.toThrow('expected application/json, got no body')
  await expect(fuzz('lost')).rejects.toThrow(/Location/)
})
