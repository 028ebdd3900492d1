import {
  ApiResponseDoc,
  Controller,
  Get,
  Head,
  Header,
  HttpCode,
  Redirect,
  ResponseFields,
  Sse,
} from 'blazon'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { bootWarnings } from '../../support.js'

const Note = z.object({ id: z.int() })
const Open = z.object({ id: z.int(), at: z.custom(() => true) })

@Controller('wrong')
class WrongController {
  @Get('bare') bare() {
    return {}
  }

  @ApiResponseDoc({ status: 404, description: 'None', schema: Note }) @Get('failing') failing() {
    return {}
  }

  @ApiResponseDoc({ status: 200, description: 'A note' }) @Get('described') described() {
    return {}
  }

  @Header('Content-Type', 'application/json') @Get('typed') typed() {
    return {}
  }
}

@Controller('right')
class RightController {
  @ApiResponseDoc({ status: 200, description: 'A note', schema: Note }) @Get('known') known() {
    return { id: 1 }
  }

  @ApiResponseDoc({ status: 204, description: 'Nothing' }) @Get('empty') empty() {}

  @HttpCode(204) @Get('stated') stated() {}

  @Redirect('/elsewhere') @Get('moved') moved() {}

  @Head('head') head() {}

  @Header('content-type', 'text/plain') @Get('text') text() {
    return 'text'
  }

  @ApiResponseDoc({ status: 200, description: 'A picture', contentType: 'image/png' })
  @Get('picture')
  picture() {}

  @ResponseFields('send') @Get('sent') sent() {
    return {}
  }

  @Sse(Note) @Get('events') async *events() {
    yield { id: 1 }
  }
}

@Controller('open')
class OpenController {
  @ApiResponseDoc({ status: 200, description: 'Open', schema: Open }) @Get('note') note() {
    return { id: 1, at: 1 }
  }

  @Sse(Open) @Get('events') async *events() {
    yield { id: 1, at: 1 }
  }
}

const subjects = async (options: object) =>
  (await bootWarnings(options))
    .filter(({ code }) => code === 'W_RESPONSE_UNDESCRIBED')
    .map(({ text }) => /\] (.*)\n/.exec(text)?.[1])

it('boot warns about successful JSON responses without a schema whose fields are limited', async () => {
  const controllers = [WrongController, RightController]
  const handlers = ['bare', 'failing', 'described', 'typed']
  const names = handlers.map((name) => `WrongController.${name}`)
  expect(await subjects({ controllers, responses: 'strip' })).toEqual([names.join(', ')])
  expect(await subjects({ controllers, responses: 'check' })).toEqual([names.join(', ')])
  expect(await subjects({ controllers })).toEqual([])
})

it('boot warns about the fields of responses and items that JSON Schema cannot describe', async () => {
  expect(await subjects({ controllers: [OpenController], responses: 'strip' })).toEqual([
    "OpenController.note @ApiResponseDoc(200) at 'at'",
    "OpenController.events items at 'at'",
  ])
})
