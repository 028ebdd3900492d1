// The API of the boot benchmark as NestJS' documentation recommends: classes with decorators for bodies, ValidationPipe, @nestjs/swagger.
import 'reflect-metadata'
import {
  Body,
  Controller,
  Delete,
  Get,
  Module,
  Param,
  Patch,
  Post,
  Put,
  ValidationPipe,
} from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import {
  ApiOkResponse,
  ApiProperty,
  ApiPropertyOptional,
  DocumentBuilder,
  SwaggerModule,
} from '@nestjs/swagger'
import '@nestjs/platform-express'
import { Type } from 'class-transformer'
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsEmail,
  IsIn,
  IsInt,
  IsNumber,
  IsOptional,
  IsString,
  Length,
  Max,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator'
import { beginPhase, CONTROLLERS, endPhase } from '../../boot/phase.mjs'

const phase = beginPhase()

/** Classes are components of the document by their names, which an author would have made up. */
function named<T extends object>(target: T, name: string): T {
  return Object.defineProperty(target, 'name', { value: name })
}

/** Every class is made anew, and says something else than any other. */
function defineBody(n: number) {
  class AddressDto {
    @ApiProperty({ minLength: 1, maxLength: 200 })
    @IsString()
    @Length(1, 200)
    street!: string

    @ApiProperty({ minLength: 1, maxLength: 100 })
    @IsString()
    @Length(1, 100)
    city!: string

    @ApiProperty({ minLength: 3, maxLength: 12 })
    @IsString()
    @Length(3, 12)
    zip!: string
  }
  named(AddressDto, `Address${n}Dto`)

  class ThingDto {
    @ApiProperty({ minLength: 1, maxLength: 100 + n })
    @IsString()
    @Length(1, 100 + n)
    name!: string

    @ApiProperty({ format: 'email' })
    @IsEmail()
    email!: string

    @ApiProperty({ type: 'integer', minimum: 1, maximum: 1000 })
    @IsInt()
    @Min(1)
    @Max(1000)
    quantity!: number

    @ApiProperty({ minimum: 0 })
    @IsNumber()
    @Min(0)
    price!: number

    @ApiProperty({ enum: ['draft', 'open', 'closed'] })
    @IsIn(['draft', 'open', 'closed'])
    status!: string

    @ApiProperty({ type: [String], maxItems: 10 })
    @IsArray()
    @ArrayMaxSize(10)
    @IsString({ each: true })
    @MaxLength(40, { each: true })
    tags!: string[]

    @ApiPropertyOptional()
    @IsOptional()
    @IsBoolean()
    isActive?: boolean

    @ApiProperty({ type: AddressDto })
    @ValidateNested()
    @Type(() => AddressDto)
    address!: AddressDto
  }
  return named(ThingDto, `Thing${n}Dto`)
}

function defineController(n: number) {
  // biome-ignore-start lint/correctness/noUnusedVariables: types of parameters, which reach ValidationPipe in what the compiler emits
  const Create = defineBody(n * 5)
  const Replace = defineBody(n * 5 + 1)
  const Change = defineBody(n * 5 + 2)
  const AddPart = defineBody(n * 5 + 3)
  const ReplacePart = defineBody(n * 5 + 4)
  // biome-ignore-end lint/correctness/noUnusedVariables: as above

  @Controller(`things-${n}`)
  class ThingsController {
    @Get()
    @ApiOkResponse({ description: 'The things' })
    list() {
      return []
    }

    @Get(':id')
    @ApiOkResponse({ description: 'The thing' })
    get(@Param('id') id: string) {
      return { id }
    }

    @Get(':id/history')
    @ApiOkResponse({ description: 'What happened to the thing' })
    history(@Param('id') id: string) {
      return { id }
    }

    @Get(':id/parts/:partId')
    @ApiOkResponse({ description: 'The part' })
    getPart(@Param('id') id: string, @Param('partId') partId: string) {
      return { id, partId }
    }

    @Delete(':id')
    @ApiOkResponse({ description: 'The thing that was' })
    remove(@Param('id') id: string) {
      return { id }
    }

    @Post()
    @ApiOkResponse({ description: 'The new thing' })
    create(@Body() body: Create) {
      return body
    }

    @Put(':id')
    @ApiOkResponse({ description: 'The thing' })
    replace(@Param('id') _id: string, @Body() body: Replace) {
      return body
    }

    @Patch(':id')
    @ApiOkResponse({ description: 'The thing' })
    change(@Param('id') _id: string, @Body() body: Change) {
      return body
    }

    @Post(':id/parts')
    @ApiOkResponse({ description: 'The new part' })
    addPart(@Param('id') _id: string, @Body() body: AddPart) {
      return body
    }

    @Put(':id/parts/:partId')
    @ApiOkResponse({ description: 'The part' })
    replacePart(
      @Param('id') _id: string,
      @Param('partId') _partId: string,
      @Body() body: ReplacePart,
    ) {
      return body
    }
  }
  return named(ThingsController, `Things${n}Controller`)
}

const controllers = Array.from({ length: CONTROLLERS }, (_, n) => defineController(n))

@Module({ controllers })
class AppModule {}

const app = await NestFactory.create(AppModule, { logger: false })
app.useGlobalPipes(new ValidationPipe({ transform: true }))
const info = new DocumentBuilder().setTitle('API').setVersion('1.0.0').build()
const document = SwaggerModule.createDocument(app, info)
await app.listen(0, '127.0.0.1')
endPhase(phase, { port: app.getHttpServer().address().port, text: JSON.stringify(document) })
