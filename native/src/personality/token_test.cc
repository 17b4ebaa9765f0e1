// Tokens of workload files, and their places.
#include "personality/token.h"

#include <gtest/gtest.h>

namespace patina {
namespace {

std::vector<Token> read(std::string_view text) {
  Result<std::vector<Token>> tokens = tokens_of(text, "file.f");
  EXPECT_TRUE(tokens.ok()) << tokens.error().message;
  if (!tokens) return {Token{}};
  EXPECT_EQ(tokens->back().kind, TokenKind::kEnd);
  return std::move(*tokens);
}

std::string error_of(std::string_view text) {
  const Result<std::vector<Token>> tokens = tokens_of(text, "file.f");
  EXPECT_FALSE(tokens.ok()) << text;
  if (tokens) return "";
  EXPECT_EQ(tokens.error().code, ErrorCode::kWorkloadInvalid);
  return tokens.error().message;
}

TEST(Tokens, AreWordsNumbersVariablesStringsAndSigns) {
  const std::vector<Token> tokens = read("set $size = 16k{\"a b\"}(x,y)*+");
  const std::vector<std::pair<TokenKind, std::string>> expected = {
      {TokenKind::kWord, "set"},   {TokenKind::kVariable, "size"}, {TokenKind::kSign, "="},
      {TokenKind::kNumber, "16k"}, {TokenKind::kSign, "{"},        {TokenKind::kString, "a b"},
      {TokenKind::kSign, "}"},     {TokenKind::kSign, "("},        {TokenKind::kWord, "x"},
      {TokenKind::kSign, ","},     {TokenKind::kWord, "y"},        {TokenKind::kSign, ")"},
      {TokenKind::kSign, "*"},     {TokenKind::kSign, "+"},        {TokenKind::kEnd, ""}};
  ASSERT_EQ(tokens.size(), expected.size());
  for (size_t i = 0; i < tokens.size(); ++i) {
    EXPECT_EQ(tokens[i].kind, expected[i].first) << i;
    EXPECT_EQ(tokens[i].text, expected[i].second) << i;
  }
}

TEST(Tokens, NumbersHaveSuffixesForPowersOf1024) {
  const std::vector<std::pair<const char*, double>> numbers = {
      {"0", 0},       {"05", 5},      {"1k", 1024},         {"2K", 2048},   {"3m", 3145728},
      {"1g", 0x1p30}, {"1t", 0x1p40}, {"1.5k", 1.5 * 1024}, {"0.25", 0.25}, {"-10", -10}};
  for (const auto& [text, value] : numbers) {
    const Token token = read(text).front();
    EXPECT_EQ(token.kind, TokenKind::kNumber) << text;
    EXPECT_EQ(token.number, value) << text;
  }
}

TEST(Tokens, WhatOnlyBeginsLikeANumberIsAWord) {
  for (const char* text : {"1kb", "10x", "1.2.3", "4-5", "-", "-a", "1/2", ".5", "k"}) {
    const std::vector<Token> tokens = read(text);
    EXPECT_EQ(tokens.front().kind, TokenKind::kWord) << text;
    EXPECT_EQ(tokens.front().text, text);
  }
}

TEST(Tokens, WordsContainPathsAndListsOfParameters) {
  for (const char* text : {"/tmp/x", "log_1-2", "aux.df", "lower:4096;upper:8192"}) {
    EXPECT_EQ(read(text).front().text, text);
  }
}

TEST(Tokens, VariablesMayHaveBraces) {
  for (const char* text : {"$dir", "${dir}", "$(dir)"}) {
    const std::vector<Token> tokens = read(text);
    EXPECT_EQ(tokens.size(), 2U) << text;
    EXPECT_EQ(tokens.front().kind, TokenKind::kVariable);
    EXPECT_EQ(tokens.front().text, "dir");
  }
}

TEST(Tokens, ABackslashInAStringTakesTheNextCharacterAsItIs) {
  EXPECT_EQ(read(R"("a \"quoted\" \$word # no comment")").front().text, "a \"quoted\" $word # no comment");
}

TEST(Tokens, KnowTheirLineAndColumn) {
  const std::vector<Token> tokens = read("# a comment\n\n  one\ttwo # three\n\"a\nb\" four");
  ASSERT_EQ(tokens.size(), 5U);
  const std::vector<std::pair<int, int>> places = {{3, 3}, {3, 7}, {4, 1}, {5, 4}, {5, 8}};
  for (size_t i = 0; i < places.size(); ++i) {
    EXPECT_EQ(tokens[i].place.line, places[i].first) << i;
    EXPECT_EQ(tokens[i].place.column, places[i].second) << i;
  }
}

TEST(Tokens, NothingIsTheEndAlone) {
  EXPECT_EQ(read("").size(), 1U);
  EXPECT_EQ(read(" \t\n# only a comment").size(), 1U);
}

TEST(Tokens, MistakesHaveTheirPlace) {
  EXPECT_EQ(error_of("set\n  \"no end"), "file.f:2:3: this string has no closing quote");
  EXPECT_EQ(error_of("a ?"), "file.f:1:3: unexpected character '?'");
  EXPECT_EQ(error_of(std::string("a\n\x01")), "file.f:2:1: unexpected character '\\x01'");
  EXPECT_EQ(error_of("set $ ="), "file.f:1:5: a variable needs a name after '$'");
  EXPECT_EQ(error_of("123456789012345678901"), "file.f:1:1: '123456789012345678901' is out of range");
}

}  // namespace
}  // namespace patina
