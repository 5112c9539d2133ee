"""LLM judges: endpoint, prompts, job and agreement with assessors."""
